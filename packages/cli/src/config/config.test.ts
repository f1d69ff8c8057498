// bridle.config.ts, .js and .mjs: names that nobody knows, and files beside it that look like settings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { repeatedFlags, serverSettings } from './settings.ts'
import { ignoredFileNotes } from './start-notes.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-config-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const project = (files: Readonly<Record<string, string>>): string => {
  const folder = join(root, String(count++))
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
const settings = (config: string) =>
  serverSettings({}, {}, project({ 'bridle.config.ts': `export default ${config}\n` }))

test.each([
  ['{ prot: 4400 }', '"prot". Did you mean "port"?'],
  ['{ port: 4400, authTokn: "x", rateLimt: {} }', '"authTokn". Did you mean "authToken"?'],
  ['{ something: 1 }', '"something".'],
  [
    '{ tokens: [{ token: "a" }, { token: "b", tenats: ["x"] }] }',
    '"tokens[1].tenats". Did you mean "tokens[1].tenants"?',
  ],
  ['{ rateLimit: { windowMs: 1, maxReqests: 1 } }', '"rateLimit.maxReqests". Did you mean "rateLimit.maxRequests"?'],
  [
    '{ engines: { codex: {}, claude: { model: "x", max_budget_us: 1 } } }',
    '"engines.claude.max_budget_us". Did you mean "engines.claude.max_budget_usd"?',
  ],
  ['{ engines: { claud: { max_budget_usd: 2 } } }', '"engines.claud". Did you mean "engines.claude"?'],
  ['{ sandbox: { max: 2, netwrk: "host" } }', '"sandbox.netwrk". Did you mean "sandbox.network"?'],
  ['{ sandbox: { limits: { procesess: 2 } } }', '"sandbox.limits.procesess". Did you mean "sandbox.limits.processes"?'],
  ['{ memory: { tenantByts: 2 } }', '"memory.tenantByts". Did you mean "memory.tenantBytes"?'],
  ['{ workspaces: { source: ["."] } }', '"workspaces.source". Did you mean "workspaces.sources"?'],
])('[C24] %s is refused, with the nearest known name', async (config, message) => {
  await expect(settings(config)).rejects.toThrow(`bridle.config.ts: there is no ${message}`)
})

test.each([
  ['{ port: "x" }', '"port" must be a number from 0 to 65535.'],
  ['{ port: 99_999 }', '"port" must be a number from 0 to 65535.'],
  ['{ host: 3 }', '"host" must be a text.'],
  ['{ data: 7 }', '"data" must be a text.'],
  ['{ store: 4 }', '"store" must be a text or a function.'],
  ['{ agents: 3 }', '"agents" must be a text or a list.'],
  ['{ tokens: "secret" }', '"tokens" must be a list.'],
  ['{ rateLimit: 5 }', '"rateLimit" must be an object.'],
  ['{ rateLimit: { windowMs: 60_000 } }', '"rateLimit.maxRequests" is missing: it must be a finite number above 0.'],
  ['{ rateLimit: { maxRequests: 5 } }', '"rateLimit.windowMs" is missing: it must be a finite number above 0.'],
  ['{ rateLimit: { windowMs: 0, maxRequests: 5 } }', '"rateLimit.windowMs" must be a finite number above 0.'],
  ['{ rateLimit: { windowMs: 1, maxRequests: NaN } }', '"rateLimit.maxRequests" must be a finite number above 0.'],
  ['{ rateLimit: { windowMs: 1, maxRequests: Infinity } }', '"rateLimit.maxRequests" must be a finite number above 0.'],
  ['{ rateLimit: { windowMs: "1", maxRequests: 5 } }', '"rateLimit.windowMs" must be a finite number above 0.'],
  ['{ engines: { claude: { max_budget_usd: -1 } } }', '"engines.claude.max_budget_usd" must be a number, 0 or more.'],
  ['{ engines: { claude: { max_budget_usd: "2" } } }', '"engines.claude.max_budget_usd" must be a number, 0 or more.'],
  ['{ engines: { codex: { repository: "all" } } }', `"engines.codex.repository" must be 'instructions' or 'none'.`],
  ['{ engines: { codex: { max_turns: 1.5 } } }', '"engines.codex.max_turns" must be a whole number, 0 or more.'],
  [
    '{ engines: { codex: { permission_mode: true } } }',
    '"engines.codex.permission_mode" must be default, acceptEdits, plan, dontAsk or bypassPermissions.',
  ],
  [
    '{ engines: { claude: { permission_mode: "acceptEdit" } } }',
    '"engines.claude.permission_mode" must be default, acceptEdits, plan, dontAsk or bypassPermissions.',
  ],
  ['{ engines: { codex: { model: ["a"] } } }', '"engines.codex.model" must be a text.'],
  ['{ engines: { codex: { models: "gpt-*" } } }', '"engines.codex.models" must be a list of texts.'],
  ['{ engines: { claude: true } }', '"engines.claude" must be an object.'],
  ['{ workspaces: ["."] }', '"workspaces" must be an object.'],
  ['{ heartbeatMs: "1000" }', '"heartbeatMs" must be a number.'],
  ['{ heartbeatMs: "15s" }', '"heartbeatMs" must be a number.'],
  [
    '{ tokens: [{ token: "a" }, { token: "b", scopes: ["observ"] }] }',
    '"tokens[1].scopes" must be a list of observe, operate, approve.',
  ],
  [
    '{ tokens: [{ token: "a", scopes: "observe" }] }',
    '"tokens[0].scopes" must be a list of observe, operate, approve.',
  ],
  ['{ tokens: [null] }', '"tokens[0]" is missing: it must be an object.'],
  ['{ engines: { claude: "opus" } }', '"engines.claude" must be an object.'],
  ['{ sandbox: { limits: "4 GiB" } }', '"sandbox.limits" must be an object.'],
  ['{ watchAgents: "yes" }', '"watchAgents" must be true or false.'],
  ['{ ownerToken: 7 }', '"ownerToken" must be a text.'],
  ['{ tokens: ["a"] }', '"tokens[0]" must be an object.'],
  ['{ tokens: [{ token: 7 }] }', '"tokens[0].token" must be a text.'],
  ['[]', 'the default export must be an object, such as { port: 8080 }.'],
  ['"x"', 'the default export must be an object, such as { port: 8080 }.'],
])('[C310] %s is refused, with the kind of value that belongs there', async (config, message) => {
  const error = await settings(config).catch((each: unknown) => each)
  expect(error).toMatchObject({ code: 2, message: `bridle.config.ts: ${message}` })
})

test('[C310] null means that a setting is not set', async () => {
  expect(
    await settings(
      '{ port: null, host: undefined, rateLimit: null, engines: { claude: null, codex: { model: null } } }',
    ),
  ).toMatchObject({
    port: 4317,
    host: '127.0.0.1',
  })
})

test('[C310] a port of digits in a text is a number, as process.env has it', async () => {
  expect(await settings('{ port: "4400" }')).toMatchObject({ port: 4400 })
})

test('[C24] what is known is taken', async () => {
  const config = '{ port: 4400, tokens: [{ token: "a", user: "b" }], rateLimit: { windowMs: 1, maxRequests: 1 } }'
  expect(await settings(config)).toMatchObject({ port: 4400, tokens: [{ token: 'a', user: 'b' }] })
  const engines = '{ engines: { claude: { model: "a", models: ["a*"], permission_mode: "plan", max_turns: 2 } } }'
  expect(await settings(engines)).toMatchObject({ engines: { claude: { models: ['a*'] } } })
  expect(await serverSettings({}, {}, project({}))).toMatchObject({ port: 4317 })
})

test('[C27] a store comes from the flag, else the environment, else the file', async () => {
  const folder = project({ 'bridle.config.ts': 'export default { store: "memory" }' })
  const withFunction = project({ 'bridle.config.ts': 'export default { store: async () => { throw new Error() } }' })
  const storeOf = async (flags: object, env: NodeJS.ProcessEnv, where = folder) =>
    (await serverSettings(flags, env, where)).store
  expect(await storeOf({ store: 'sqlite' }, { BRIDLE_STORE: 'memory' })).toBe('sqlite')
  expect(await storeOf({}, { BRIDLE_STORE: 'sqlite' })).toBe('sqlite')
  expect(await storeOf({}, {})).toBe('memory')
  expect(await storeOf({}, {}, project({}))).toBeUndefined()
  expect(await storeOf({}, {}, withFunction)).toBeInstanceOf(Function)
  for (const [flags, env] of [
    [{ store: 'mysql' }, {}],
    [{}, { BRIDLE_STORE: 'mysql' }],
  ])
    await expect(storeOf(flags!, env!)).rejects.toMatchObject({ code: 2, message: expect.stringContaining('"mysql"') })
})

test.each(['ts', 'js', 'mjs'])('[C101] bridle.config.%s is read, and its problems name it', async (ending) => {
  const name = `bridle.config.${ending}`
  const port = async (text: string) => (await serverSettings({}, {}, project({ [name]: text }))).port
  expect(await port('export default { port: 4400 }')).toBe(4400)
  await expect(port('export default { prot: 4400 }')).rejects.toThrow(
    `${name}: there is no "prot". Did you mean "port"?`,
  )
  await expect(port('throw new Error("no")')).rejects.toMatchObject({ code: 2, message: `${name} cannot be read: no` })
})

test('[C101] two settings files are a usage error that names both', async () => {
  const folder = project({ 'bridle.config.ts': 'export default {}', 'bridle.config.mjs': 'export default {}' })
  await expect(serverSettings({}, {}, folder)).rejects.toMatchObject({
    code: 2,
    message: expect.stringMatching(/^bridle\.config\.ts and bridle\.config\.mjs /),
  })
})

test('[C101] an empty folder of that name is no settings file: it keeps the name while an agent works in place', async () => {
  const folder = project({ 'bridle.config.ts': 'export default { port: 4400 }' })
  for (const name of ['bridle.config.js', 'bridle.config.json', '.env', '.env.local']) mkdirSync(join(folder, name))
  expect(await serverSettings({}, {}, folder)).toMatchObject({ port: 4400 })
  expect(ignoredFileNotes(folder)).toEqual([])
})

test('[C101] files that look like settings and are not read are named', () => {
  expect(ignoredFileNotes(project({ 'bridle.config.ts': '', '.env': '', 'notes.env': '' }))).toEqual([])
  const lines = ignoredFileNotes(project({ 'bridle.config.json': '', '.env.local': '', '.env.production': '' }))
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['bridle.config.json', '.env.local', '.env.production'])
  expect(lines[0]).toContain('bridle.config.ts')
  expect(lines[1]).toContain('belong into .env')
})

test('[C4] a printed command has the flags that led to the server', () => {
  expect(repeatedFlags({})).toBe('')
  expect(repeatedFlags({ url: 'http://127.0.0.1:8787', tenant: 'a b' })).toBe(
    " --url http://127.0.0.1:8787 --tenant 'a b'",
  )
  expect(repeatedFlags({ data: 'backup-monday' })).toBe(' --data backup-monday')
})
