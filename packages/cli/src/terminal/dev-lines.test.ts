import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PendingApproval } from '@bridle/client/index'
import { codeFrame } from '@bridle/server/agents/code-frame'
import { afterEach, expect, test } from 'vitest'
import { devLines } from './dev-lines.ts'
import type { CliOutput } from './output.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const terminal = (width = 80, addressFlag = '') => {
  const lines: string[] = []
  const root = mkdtempSync(join(tmpdir(), 'bridle-dev-lines-'))
  closing.push(() => rmSync(root, { recursive: true, force: true }))
  const out: CliOutput = {
    ...{ isJson: false, canAsk: true, width, row: () => {}, note: () => {}, style: (_format, text) => text },
    write: () => {},
    line: (text) => lines.push(text),
  }
  const agentFlagOf = async ({ id, agent }: { id: string; agent: string }) =>
    id === 'twin-1' ? ` --agent ${agent}` : ''
  const options = { root, command: 'npx bridle', addressFlag: () => addressFlag, agentFlagOf }
  return { lines, root, dev: devLines(out, options) }
}
const key = (id: string, agent = 'greet') => ({ tenant: 't', agent, id })

test('[C121] a line per run: agent, session, outcome, time and cost; an error is wrapped and never cut', () => {
  const { lines, dev } = terminal(40)
  const end = { type: 'end', runId: 'r-1', costUsd: null, message: null } as const
  dev.run({ ...end, key: key('greet-1'), outcome: 'completed', ms: 1_234 })
  dev.run({ ...end, key: key('greet-2'), outcome: 'completed', ms: 30, costUsd: 0.0123 })
  dev.run({ ...end, key: key('greet-3'), outcome: 'cancelled', ms: 61_000 })
  dev.run({ ...end, key: key('greet-4'), outcome: 'completed', ms: null, costUsd: 2 })
  dev.run({ ...end, key: key('s'), outcome: 'failed', ms: 500, message: `${'no '.repeat(20)}\u001b[2Jend` })
  expect(lines.slice(0, 4)).toEqual([
    '✓ greet  greet-1  completed in 1.2 s',
    '✓ greet  greet-2  completed in 30 ms,',
    '  $0.01',
    '✗ greet  greet-3  cancelled (1 m 1 s)',
  ])
  const failed = lines.slice(5).join(' ').replaceAll(/\s+/g, ' ')
  expect(failed).toBe(`✗ greet s failed: ${'no '.repeat(20)}␛[2Jend (500 ms)`)
  expect(lines.every((line) => line.length <= 40)).toBe(true)
})

test('[C124] an approval names the command that answers it; notices are shown as they come', async () => {
  const { lines, dev } = terminal()
  await dev.run({ type: 'approval', key: key('s-1'), runId: 'r-1', approvalId: 'apr-7', subject: 'bash' })
  dev.run({
    type: 'notice',
    key: key('s-2', 'claude'),
    runId: 'r-1',
    kind: 'retry',
    message: 'Anthropic: 502, trying again in 9 s, 5 of 6',
  })
  expect(lines).toEqual([
    '? greet  s-1  waits for approval of bash: npx bridle approve s-1 apr-7',
    '… claude  s-2  Anthropic: 502, trying again in 9 s, 5 of 6',
  ])
})

test('[C407] a question names what it asks, and the command that answers it', async () => {
  const { lines, dev } = terminal(120, ' --url http://127.0.0.1:4400')
  const question = {
    questions: [{ id: 'db', question: 'Which?\nNow\u202e', options: [{ label: 'SQLite' }, { label: 'b' }] }],
  }
  await dev.run({ type: 'approval', key: key('s-1'), runId: 'r-1', approvalId: 'apr-7', subject: 'ask', question })
  const row = { agent: 'greet', sessionId: 's-2', id: 'apr-8', toolName: 'ask', kind: 'question' as const, ...question }
  await dev.waiting({ approvals: [{ ...({} as PendingApproval), ...row }], hasMore: false })
  expect(lines).toEqual(
    [1, 2].map((at) => {
      const command = `npx bridle answer s-${at} apr-${at + 6} db=SQLite --url http://127.0.0.1:4400`
      return `? greet  s-${at}  asks db: Which?\\nNow\\u202e [SQLite | b]: ${command}`
    }),
  )
})

test('[C303] approvals that were open before have a line each, then a number; one that was named is not named again', async () => {
  const { lines, dev } = terminal(120, ' --url http://127.0.0.1:4400')
  await dev.run({ type: 'approval', key: key('s-2'), runId: 'r-1', approvalId: 'apr-2', subject: 'bash' })
  const open = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...({} as PendingApproval),
      ...{ agent: 'greet', sessionId: `s-${at + 1}`, id: `apr-${at + 1}`, toolName: 'bash' },
    }))
  const line = (at: number) =>
    `? greet  s-${at}  waits for approval of bash: npx bridle approve s-${at} apr-${at} --url http://127.0.0.1:4400`
  await dev.waiting({ approvals: open(3), hasMore: false })
  expect(lines).toEqual([line(2), line(1), line(3)])
  lines.length = 0
  await dev.waiting({ approvals: open(20), hasMore: true })
  expect(lines).toEqual([
    ...[4, 5, 6, 7, 8].map(line),
    '? more than 12 more: npx bridle approvals --url http://127.0.0.1:4400',
  ])
  lines.length = 0
  await dev.waiting({ approvals: [], hasMore: false })
  expect(lines).toEqual([])
})

test('[C346] the command has --agent where the id alone would be refused', async () => {
  const { lines, dev } = terminal(120, ' --url http://127.0.0.1:4400')
  await dev.run({ type: 'approval', key: key('twin-1'), runId: 'r-1', approvalId: 'apr-7', subject: 'bash' })
  expect(lines).toEqual([
    '? greet  twin-1  waits for approval of bash: npx bridle approve twin-1 apr-7 --agent greet --url http://127.0.0.1:4400',
  ])
})

test('[C281] a command that does not fit stands in a line of its own, in one piece; lines of a notice that follow are set in', async () => {
  const { lines, dev } = terminal(50)
  const id = 'greet-5046dd97-6ba9-46dd-8a17-8edc8293464d'
  await dev.run({ type: 'approval', key: key(id), runId: 'r-1', approvalId: 'apr-7', subject: 'bash' })
  const message = 'openai/gpt: Nothing answers. Is it running? Trying again in 1 s, try 2'
  dev.run({ type: 'notice', key: key('s-2'), runId: 'r-1', kind: 'retry', message })
  expect(lines).toEqual([
    '? greet',
    `  ${id}`,
    '  waits for approval of bash:',
    `  npx bridle approve ${id} apr-7`,
    '… greet  s-2  openai/gpt: Nothing answers. Is it',
    '  running? Trying again in 1 s, try 2',
  ])
})

test('[C120] what became of agent files, and the frame of a broken one', () => {
  const { lines, dev } = terminal()
  const file = (name: string) => ({ file: `agents/${name}.ts`, name })
  dev.files([
    { ...file('a'), state: 'added' },
    { ...file('b'), state: 'changed' },
    { ...file('c'), state: 'mended' },
    { ...file('d'), state: 'removed' },
    { file: 'agents/third.ts', name: 'second', state: 'renamed', from: 'agents/second.ts' },
    { ...file('bad'), state: 'dropped' },
    { ...file('e'), state: 'broken', problem: 'SyntaxError: no', frame: 'agents/e.ts:1:1\n> 1 | {' },
  ])
  expect(lines).toEqual([
    '↻ agents/a.ts is new: agent a',
    '↻ agents/b.ts changed; runs that start now use it',
    '↻ agents/c.ts works now: agent c',
    '↻ agents/d.ts is gone, and with it the agent d',
    '↻ agents/second.ts is now agents/third.ts: agent second',
    '↻ agents/bad.ts is gone',
    '✗ agents/e.ts is not available: SyntaxError: no',
    '  agents/e.ts:1:1',
    '  > 1 | {',
  ])
})

test('[C120] the frame of a broken file fits into 80 columns, with the mark', () => {
  const { lines, root, dev } = terminal()
  const path = join(root, 'long.ts')
  writeFileSync(path, `${'x'.repeat(300)}HERE${'y'.repeat(300)}`)
  const frame = codeFrame({ path, line: 1, column: 301 }) ?? ''
  dev.files([{ file: 'agents/long.ts', name: 'long', state: 'broken', problem: 'SyntaxError: no', frame }])
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines.join('\n')).toContain('HERE')
})

test('[C240] a file that is no longer the one that ran is named, and not shown', () => {
  const { lines, root, dev } = terminal()
  const path = join(root, 'saved.ts')
  writeFileSync(path, 'one\ntwo()\n')
  const error = Object.assign(new Error('no tea'), { stack: `Error: no tea\n    at brew (${path}:2:1)` })
  const failure = { key: key('s-1'), runId: 'r-1', attempt: 1, tool: null, error }
  const shown = (isCurrent?: (file: string) => boolean) => {
    dev.failure(failure, isCurrent)
    return lines.splice(0).slice(2)
  }
  const place = '    at brew (saved.ts:2:1)'
  const frame = ['    1 | one', '  > 2 | two()', '      | ^', '    3 |']
  expect(shown()).toEqual([place, ...frame])
  expect(shown((file) => file === path)).toEqual([place, ...frame])
  expect(shown((file) => file !== path)).toEqual([place])
})

test('[C122] an error shows the stack of the innermost cause, in files of the user alone, and the source', () => {
  const { lines, root, dev } = terminal()
  writeFileSync(join(root, 'a.ts'), 'one\n\ttwo()\nthree\n')
  const cause = new TypeError('no city')
  cause.stack = `TypeError: no city
    at find (file://${root}/a.ts?changed=0.7:2:2)
    at Object.run (/elsewhere/node_modules/bridle/dist/x.js:1:1)
    at ${root}/node_modules/lib/index.js:3:3
    at async node:internal/process:1:1
    at async ${root}/a.ts:3:1`
  const error = new Error('no city', { cause })
  error.stack = `Error: no city\n    at wrap (${root}/a.ts:1:1)`
  dev.failure({ key: key('s-1', 'boom'), runId: 'r-2', attempt: 1, error, tool: null })
  expect(lines).toEqual([
    '✗ boom threw, session s-1, run r-2',
    '  Error: no city',
    '    at find (a.ts:2:2)',
    '    at a.ts:3:1',
    '    1 | one',
    '  > 2 | \ttwo()',
    '      | \t^',
    '    3 | three',
    '    4 |',
  ])
  // A line longer than the terminal is shown around the place.
  lines.length = 0
  writeFileSync(join(root, 'a.ts'), `${'x'.repeat(300)}HERE${'y'.repeat(300)}`)
  cause.stack = `TypeError: no city\n    at ${root}/a.ts:1:301`
  dev.failure({ key: key('s-1', 'boom'), runId: 'r-2', attempt: 1, error, tool: null })
  const [row = '', mark = ''] = lines.slice(-2)
  expect([row.length, row.slice(mark.indexOf('^'), mark.indexOf('^') + 4)]).toEqual([80, 'HERE'])
  lines.length = 0
  dev.failure({ key: key('s-1', 'boom'), runId: 'r-2', attempt: 1, error: 'a text', tool: 'weather' })
  expect(lines).toEqual(['✗ boom: the tool weather threw, session s-1, run r-2', '  threw a text'])
  // A value without a prototype has no text.
  dev.failure({ key: key('s-1'), runId: 'r-2', attempt: 1, error: Object.create(null), tool: null })
  expect(lines.at(-1)).toBe('  threw Unknown error.')
  const circle = new Error('round')
  circle.cause = circle
  dev.failure({ key: key('s-1'), runId: 'r-2', attempt: 1, error: circle, tool: null })
  expect(lines).toContain('  Error: round')
})
