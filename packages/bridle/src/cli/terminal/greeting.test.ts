import { expect, test } from 'vitest'
import { readyMessage } from './greeting.ts'

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
            claude is not available: Claude Code is not installed. Run: npm
            install @anthropic-ai/claude-agent-sdk
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

test('[C120] a page of the project is not called the cockpit', () => {
  const message = readyMessage('http://127.0.0.1:4317', '', { ...hint, agents: [], page: 'page' })
  expect(message).toContain('  page      http://127.0.0.1:4317\n')
  expect(message).not.toContain('cockpit')
})
