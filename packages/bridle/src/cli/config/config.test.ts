// bridle.config.ts, .js and .mjs: names that nobody knows, and files beside it that look like settings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ignoredFileNotes } from './ignored-files.ts'
import { serverSettings } from './settings.ts'

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
  ['{ workspaces: { source: ["."] } }', '"workspaces.source". Did you mean "workspaces.sources"?'],
])('[C24] %s is refused, with the nearest known name', async (config, message) => {
  await expect(settings(config)).rejects.toThrow(`bridle.config.ts: there is no ${message}`)
})

test('[C24] what is known is taken', async () => {
  const config = '{ port: 4400, tokens: [{ token: "a", user: "b" }], rateLimit: { windowMs: 1, maxRequests: 1 } }'
  expect(await settings(config)).toMatchObject({ port: 4400, tokens: [{ token: 'a', user: 'b' }] })
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

test('[C101] files that look like settings and are not read are named', () => {
  expect(ignoredFileNotes(project({ 'bridle.config.ts': '', '.env': '', 'notes.env': '' }))).toEqual([])
  const lines = ignoredFileNotes(project({ 'bridle.config.json': '', '.env.local': '', '.env.production': '' }))
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['bridle.config.json', '.env.local', '.env.production'])
  expect(lines[0]).toContain('bridle.config.ts')
  expect(lines[1]).toContain('belong into .env')
})
