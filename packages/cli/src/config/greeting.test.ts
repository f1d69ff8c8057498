import { expect, test } from 'vitest'
import { readyMessage, startMessage, tokenText } from './greeting.ts'

const hint = { agent: 'greet', note: null, command: 'npx bridle', width: 80, hasCockpit: true }

test('[C120] the message of a ready server names everything that it serves, and commands that work', () => {
  const agents = [
    { name: 'greet', needs: null },
    { name: 'broken', needs: 'agents/broken.ts: Error: no key' },
    { name: 'scripted', needs: null },
    { name: 'claude', needs: `Claude Code is not installed. Run: npm install @anthropic-ai/claude-agent-sdk` },
  ]
  expect(readyMessage('http://127.0.0.1:4317', '', { ...hint, agents })).toBe(`Bridle is ready at http://127.0.0.1:4317

  cockpit   http://127.0.0.1:4317
  docs      http://127.0.0.1:4317/docs
  agents    greet, scripted
            broken is not available: agents/broken.ts: Error: no key
            claude is not available: Claude Code is not installed. Run:
            npm install @anthropic-ai/claude-agent-sdk
  try       npx bridle run greet Hello
  or        curl http://127.0.0.1:4317/agents/greet/hello --json '{"prompt":"Hello"}'
`)
})

test('[C120] another address is in the command, a token in the call, and no cockpit is promised where there is none', () => {
  const message = readyMessage('http://127.0.0.1:8787', ' -H "authorization: Bearer $T"', {
    ...{ ...hint, agents: [], hasCockpit: false },
    note: 'Production mode.',
  })
  expect(message).toContain('  Production mode.\n')
  expect(message).toContain('try       npx bridle run greet Hello --url http://127.0.0.1:8787')
  expect(message).toContain(`--json '{"prompt":"Hello"}' -H "authorization: Bearer $T"`)
  expect(message).not.toContain('cockpit')
  expect(readyMessage('http://a', '', { ...hint, agent: null, agents: [] })).not.toMatch(/try|curl|agents/)
})

test('[C120] a server on all addresses is opened and called at one that leads to it', () => {
  for (const [url, own] of [
    ['http://0.0.0.0:4400', 'http://127.0.0.1:4400'],
    ['http://[::]:4400', 'http://[::1]:4400'],
  ] as const) {
    const message = readyMessage(url, '', { ...hint, agents: [] })
    expect(message).toContain(`Bridle is ready at ${url}\n`)
    expect(message).toContain(`  cockpit   ${own}\n  docs      ${own}/docs\n`)
    expect(message).toContain(`try       npx bridle run greet Hello --url ${own}\n`)
    expect(message).toContain(`curl ${own}/agents/`)
  }
})

test('[C120] a page of the project is not called the cockpit', () => {
  const message = readyMessage('http://127.0.0.1:4317', '', { ...hint, agents: [], page: 'page' })
  expect(message).toContain('  page      http://127.0.0.1:4317\n')
  expect(message).not.toContain('cockpit')
})

test('[C260] with a token, the lines lead to pages that ask for it, and the command finds it', () => {
  const url = 'http://127.0.0.1:4317'
  const closed = { ...hint, agents: [], isClosed: true }
  const message = readyMessage(url, '', { ...closed, dataFlag: " --data '/srv/my data'" })
  expect(message).toContain(`  docs      http://127.0.0.1:4317/routes in a browser
            http://127.0.0.1:4317/docs for curl, with the token
`)
  expect(message).toContain("try       npx bridle run greet Hello --data '/srv/my data'\n")
  // Without the cockpit no page can ask.
  for (const other of [{ hasCockpit: false }, { page: 'page' as const }, { isClosed: false }])
    expect(readyMessage(url, '', { ...closed, ...other })).toContain('  docs      http://127.0.0.1:4317/docs\n')
})

test('[C260] the command needs a token that only the settings file lists', async () => {
  const url = 'http://127.0.0.1:4317'
  const server = { url, openAgent: 'scripted', openAgents: [], exposureNote: null, agents: new Map(), hasCockpit: true }
  const listed = { data: '.bridle', tokens: [{ token: 'secret' }] }
  const tried = async (env: NodeJS.ProcessEnv, settings: Parameters<typeof startMessage>[1]) =>
    /try +(.*)/.exec(await startMessage(server, settings, env, 80))?.[1]
  expect([
    await tried({}, listed),
    await tried({ FABRIC_HARNESS_API_TOKEN: 'secret' }, listed),
    await tried({}, { data: '.bridle' }),
  ]).toEqual([
    expect.stringMatching(/^FABRIC_HARNESS_API_TOKEN=… .*bridle.* run scripted Hello$/),
    expect.not.stringContaining('TOKEN'),
    expect.not.stringContaining('TOKEN'),
  ])
})

test('[C260] a token in a folder that the commands do not look into is found with its flag', () => {
  const url = 'http://127.0.0.1:4317'
  expect(tokenText('.bridle/token', url, 'npx bridle', '')).toBe(
    `The token is in .bridle/token; npx bridle run, attach, sessions and the others find it there, and the page at ${url} asks for it.`,
  )
  expect(tokenText('copy/token', url, 'npx bridle', ' --data copy')).toContain('find it with --data copy, and the page')
})

test('[C120] the note about production breaks between words', () => {
  const note =
    'Production mode. Open agents: helper.\nPrivate: claude. To open it, add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=helper,claude).'
  expect(readyMessage('http://a', '', { ...hint, agents: [], note })).toContain(`
  Production mode. Open agents: helper.
  Private: claude. To open it, add it to BRIDLE_EXPOSE
  (BRIDLE_EXPOSE=helper,claude).
`)
})

test('[C281] the name of a model is not broken: people copy it', () => {
  const needs = 'Set BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY.'
  expect(readyMessage('http://a', '', { ...hint, agents: [{ name: 'assistant', needs }] })).toContain(`
            assistant is not available: Set
            BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY.
`)
})
