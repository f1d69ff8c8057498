import { FabricError } from '@bridle/client/http/error'
import { expect, test, vi } from 'vitest'
import { ExitError } from '../command/command.ts'
import { explainError } from '../errors/explain-error.ts'
import { createEventPrinter } from './event-printer.ts'
import { type CliOutput, createOutput, escapeControls, truncateLine } from './output.ts'
import { printTable, timeAgo } from './table.ts'

const paper = (width = 60, canAsk = false): CliOutput & { text: () => string } => {
  let said = ''
  const write = (text: string) => {
    said += text
  }
  return {
    isJson: false,
    canAsk,
    width,
    write,
    line: (text) => write(`${text}\n`),
    row: () => {},
    note: () => {},
    style: (_format, text) => text,
    text: () => said,
  }
}

const event = (type: string, data: Record<string, unknown> = {}) => ({ type, sessionId: 's', data })
const answer = { approvalId: 'apr-1', subject: 'write' }
const approval = { ...answer, args: { p: 1 }, reason: 'why' }

test.each<[string, ReturnType<typeof event>[], string]>([
  ['text as it comes', [event('text_delta', { delta: 'a' }), event('text_delta', { delta: 'b\n' })], 'ab\n'],
  [
    'a line of its own after text',
    [event('text_delta', { delta: 'a' }), event('tool_start', { toolName: 'read', args: {} })],
    'a\n● read\n',
  ],
  [
    'thinking apart from text',
    [event('thinking_delta', { delta: 'hm' }), event('text_delta', { delta: 'a' }), event('idle')],
    'hm\na\n',
  ],
  ['a prompt', [event('prompt_start', { text: 'Do\nit' })], '› Do it\n'],
  [
    'a result that was streamed, once',
    [event('text_delta', { delta: 'done' }), event('result', { result: 'done' })],
    'done\n',
  ],
  [
    'the words behind the last tool call, once, where they are the result',
    [
      event('prompt_start', { text: 'Go' }),
      event('text_delta', { delta: 'I write it down. ' }),
      event('tool_start', { toolName: 'note', args: {} }),
      event('tool_end', { toolName: 'note', result: 'ok' }),
      event('text_delta', { delta: 'It is ' }),
      event('text_delta', { delta: 'written.' }),
      event('result', { result: 'It is written.' }),
      event('prompt_start', { text: 'Again' }),
      event('text_delta', { delta: 'No.' }),
      event('result', { result: 'It is written.' }),
    ],
    '› Go\nI write it down. \n● note\n✓ note ok\nIt is written.\n› Again\nNo.\nIt is written.\n',
  ],
  [
    'that a call was denied, once; another end of it as well',
    [
      event('approval_resolved', { ...answer, decision: 'denied', reason: null }),
      event('tool_end', { toolName: 'write', isError: true, result: 'denied' }),
      event('tool_end', { toolName: 'write', isError: true, result: 'no disk' }),
    ],
    '✗ write denied\n✗ write no disk\n',
  ],
  [
    '[C397] how long a call took, if over a second, and the exit code of a command that failed',
    [
      event('tool_end', { toolName: 'ls', result: 'a', outcome: { status: 'ok', elapsed_ms: 999, exit_code: 0 } }),
      event('tool_end', { toolName: 'make', result: 'ok', outcome: { status: 'ok', elapsed_ms: 62_000 } }),
      event('tool_end', {
        toolName: 'test',
        isError: true,
        result: 'red',
        outcome: { elapsed_ms: 1_500, exit_code: 2 },
      }),
      event('tool_end', { toolName: 'old', result: 'b', outcome: 'ok' }),
    ],
    '✓ ls a\n✓ make (1 m 2 s) ok\n✗ test (exit 2 · 1.5 s) red\n✓ old b\n',
  ],
  ['a result of its own', [event('result', { result: { a: 1 } })], '{\n  "a": 1\n}\n'],
  [
    'an approval and how to answer it',
    [event('approval_requested', approval)],
    '? write {"p":1}\n  Reason: why\n  bridle approve s apr-1\n  bridle reject s apr-1\n',
  ],
  [
    '[C406] a call of a sub-agent that cannot be shown, and where to answer it',
    [
      event('approval_requested', {
        ...approval,
        args: {},
        child: { id: 'c', agent: 'b', approvalId: 'a', isCut: true },
      }),
    ],
    '? write\n  Reason: why\n  Asked by b, session c\n  Too long to show here. Read it in that session.\n  bridle approve c a --agent b\n  bridle reject s apr-1\n',
  ],
  [
    '[C406] a call that asks questions by its name, since they follow; not one of another shape',
    [
      { questions: [{ question: 'Which?', multiSelect: true }] },
      { schema: { type: 'object', properties: {} } },
      { schema: { type: 'object', properties: {} }, n: 1 },
      { questions: ['Why?'] },
    ].map((args) => event('tool_start', { toolName: 'ask', args })),
    '● ask\n● ask\n● ask {"schema":{"type":"object","properties":{}},"n":1}\n● ask {"questions":["Why?"]}\n',
  ],
  ['its answer', [event('approval_resolved', { ...answer, decision: 'denied', reason: 'no' })], '✗ write denied: no\n'],
  [
    'a question that the runner withdrew',
    [event('approval_resolved', { ...answer, decision: 'superseded', reason: null })],
    '✗ write is no longer asked\n',
  ],
  [
    '[C21] the arguments that a person approved in place of those that were asked for',
    [
      event('approval_requested', { ...approval, reason: null }),
      event('approval_resolved', { ...answer, decision: 'approved', reason: null, args: { p: 'two\u001b' } }),
      event('approval_resolved', { ...answer, decision: 'approved', reason: 'fine', args: {} }),
    ],
    '? write {"p":1}\n  bridle approve s apr-1\n  bridle reject s apr-1\n✓ write approved, as {"p":"two\\u001b"}\n' +
      '✓ write approved, without arguments\n  Reason: fine\n',
  ],
  ['an error', [event('error', { message: 'it broke' })], '✗ it broke\n'],
  [
    '[C124] what operators do, with who and why',
    [
      event('operator_action', { action: 'pause', actor: 'ada', reason: 'lunch' }),
      event('operator_action', { action: 'resume', actor: null, reason: null }),
      event('operator_action', { action: 'signal', actor: 'bo', reason: null, name: 'paid' }),
      ...['branch', 'import', 'archive', 'unarchive'].map((action) =>
        event('operator_action', { action, actor: null, reason: null }),
      ),
      event('operator_action', { action: 'rename', actor: null, reason: null, name: 'Ada' }),
      event('operator_action', { action: 'policy', actor: null, reason: null }),
      event('operator_action', { action: 'policy', actor: 'cy', reason: 'too dear' }),
      event('waiting', { runId: 'r-2', reason: 'All sandboxes are busy.' }),
      event('cancelled', { runId: 'r-2', actor: 'bob', reason: 'enough' }),
    ],
    '· Paused by ada: lunch\n· Resumed\n· Signal paid by bo\n· Branched\n· Imported from a file: what is above is from that file\n· Archived\n· Unarchived\n· Renamed to Ada\n' +
      '· Policy set\n· Policy set by cy: too dear\n… waits: All sandboxes are busy.\n✗ cancelled by bob: enough\n',
  ],
  [
    'a prompt that waited and is dropped apart from a run that is cancelled; a reason that says nothing is left out',
    [
      event('prompt_start', { text: 'Go', runId: 'r-2' }),
      event('cancelled', { runId: 'r-4', actor: 'ann', reason: 'too much' }),
      event('cancelled', { runId: 'r-2', actor: null, reason: 'cancelled' }),
      event('idle'),
      event('cancelled', { runId: 'r-6', actor: null, reason: 'cancelled' }),
    ],
    '› Go\n✗ a prompt that waited was dropped by ann: too much\n✗ cancelled\n✗ a prompt that waited was dropped\n',
  ],
  [
    'a run that is cancelled as that to somebody who came in the middle',
    [
      event('cancelled', { runId: 'r-2', actor: null, reason: 'cancelled' }),
      event('cancelled', { runId: 'r-4', actor: null, reason: 'cancelled' }),
    ],
    '✗ cancelled\n✗ a prompt that waited was dropped\n',
  ],
  [
    'tasks, checkpoints, artifacts, compaction',
    [
      event('task_start', { taskId: 't', status: 'started' }),
      event('task_end', { taskId: 't', status: 'failed', isError: true }),
      event('checkpoint_created', { checkpointType: 'step', summary: 'half' }),
      event('artifact_published', { name: 'a.txt', contentType: 'text/plain', size: 3, artifactId: 'art-1' }),
      event('artifact_published', {
        ...{ name: 'language', contentType: 'application/json', size: 4, artifactId: 'art-2' },
        ...{ kind: 'memory_proposal', reason: 'They write German.' },
      }),
      event('compaction', { messagesBefore: 24, messagesAfter: 10 }),
      event('compaction', { messagesBefore: null, messagesAfter: null }),
    ],
    '▸ t started\n▸ t failed\n◆ step half\n▣ a.txt (text/plain, 3 B) art-1\n▣ language (to remember: waits for a person) art-2: They wr…\n~ Context compacted: 24 → 10 messages\n~ Context compacted\n',
  ],
  [
    'a result that was its last paragraph once',
    [event('text_delta', { delta: 'Looking.\n\nDone.' }), event('result', { result: 'Done.' })],
    'Looking.\n\nDone.\n',
  ],
  [
    'where an answer goes on whose end was withdrawn',
    [
      event('prompt_start', { text: 'Go' }),
      event('thinking_delta', { delta: 'hm' }),
      event('text_delta', { delta: 'One, two, thr' }),
      event('text_superseded', { runId: 'r-2', chars: 9, thinkingChars: 0 }),
      event('text_delta', { delta: 'three.' }),
      event('result', { result: 'One, two,three.' }),
    ],
    '› Go\nhm\nOne, two, thr\n↺ The answer goes on after “One, two,”:\nthree.\n',
  ],
  [
    'that an answer starts again, and nothing where only a thought was withdrawn',
    [
      event('prompt_start', { text: 'Go' }),
      event('text_superseded', { runId: 'r-2', chars: 0, thinkingChars: 0 }),
      event('text_delta', { delta: 'On' }),
      event('text_superseded', { runId: 'r-2', chars: 0, thinkingChars: 0 }),
      event('text_delta', { delta: 'One' }),
      event('idle'),
    ],
    '› Go\nOn\n↺ The answer starts again:\nOne\n',
  ],
  [
    'a withdrawal to somebody who came in the middle',
    [event('text_delta', { delta: 'thr' }), event('text_superseded', { runId: 'r-2', chars: 900, thinkingChars: 0 })],
    'thr\n↺ The end of the answer is withdrawn; it goes on:\n',
  ],
  ['a type from a newer server', [event('from_the_future', { a: 1 })], '· from_the_future {"a":1}\n'],
  ['a type that every object has', [event('constructor')], '· constructor\n'],
])('[C3] shows %s', (_name, events, expected) => {
  const out = paper()
  const printer = createEventPrinter(out, { withPrompts: true, withHints: true })
  for (const each of events) printer.print(each)
  expect(out.text()).toBe(expected)
})

test('[C352] says at the end of each run that it is completed, to somebody who watches a session', () => {
  const out = paper()
  const printer = createEventPrinter(out, { withPrompts: true, withHints: false, withEnds: true })
  const runOf = (text: string) => [
    event('prompt_start', { text, runId: text }),
    event('text_delta', { delta: 'ok' }),
    event('result', { result: 'ok' }),
  ]
  const checkpoint = event('checkpoint_created', { checkpointType: 'turn', summary: 'The turn is over.' })
  // Between runs that were queued the session is not idle.
  const failed = [
    event('prompt_start', { text: 'd', runId: 'd' }),
    event('error', { message: 'it broke' }),
    event('idle'),
  ]
  const cancelled = [
    event('prompt_start', { text: 'e', runId: 'e' }),
    event('cancelled', { runId: 'e' }),
    event('idle'),
  ]
  for (const each of [...runOf('a'), ...runOf('b'), checkpoint, event('idle'), ...runOf('c'), event('idle')])
    printer.print(each)
  for (const each of [...failed, ...cancelled]) printer.print(each)
  expect(out.text().split('\n')).toEqual([
    ...['› a', 'ok', '✓ completed'],
    ...['› b', 'ok', '◆ turn The turn is over.', '✓ completed'],
    ...['› c', 'ok', '✓ completed'],
    ...['› d', '✗ it broke', '› e', '✗ cancelled', ''],
  ])
})

test('[C9] an answer of another person says so; nobody answers what is cancelled or expires', () => {
  const out = paper()
  const printer = createEventPrinter(out, { withPrompts: false, withHints: false, isElsewhere: (id) => id === 'apr-1' })
  const resolved = (decision: string, more: object = {}) =>
    event('approval_resolved', { ...answer, approvalId: 'apr-1', decision, reason: null, ...more })
  const answers = [
    resolved('approved'),
    resolved('approved', { args: { p: 2 } }),
    resolved('denied', { reason: 'no' }),
    event('tool_end', { toolName: 'write', isError: true, result: 'denied: no' }),
    ...['cancelled', 'expired'].map((decision) => resolved(decision)),
    resolved('approved', { approvalId: 'apr-2' }),
  ]
  for (const each of answers) printer.print(each)
  expect(out.text().split('\n')).toEqual([
    ...['✓ write approved, elsewhere', '✓ write approved, elsewhere, as {"p":2}', '✗ write denied, elsewhere: no'],
    ...['✗ write cancelled', '✗ write expired', '✓ write approved', ''],
  ])
})

test('[C3] a long line is cut to the terminal', () => {
  const out = paper(20)
  createEventPrinter(out, { withPrompts: false, withHints: false }).print(
    event('tool_start', { toolName: 'read', args: { path: 'x'.repeat(50) } }),
  )
  expect(out.text()).toBe('● read {"path":"xxx…\n')
})

test('[C3] of a call on a file that is cut, the end of the path stays: it names the file', () => {
  const out = paper(40)
  const printer = createEventPrinter(out, { withPrompts: false, withHints: false })
  const file_path = `/home/ada/app/.bridle/workspaces/${'6'.repeat(40)}/work/src/total.js`
  printer.print(event('tool_start', { toolName: 'Edit', args: { replace_all: false, file_path, old_string: 'a' } }))
  printer.print(event('tool_start', { toolName: 'Read', args: { file_path: 'src/total.js' } }))
  expect(out.text().split('\n')).toEqual([
    `● Edit …${'6'.repeat(14)}/work/src/total.js`,
    '● Read {"file_path":"src/total.js"}',
    '',
  ])
})

const advice =
  'API Error: 502 Anthropic could not be reached from this server. This is a server-side problem.\nTry again, or set ANTHROPIC_BASE_URL.'
test.each<[string, ReturnType<typeof event>]>([
  ['an error', event('error', { message: advice })],
  ['the error of a tool', event('tool_end', { toolName: 'fetch', isError: true, result: advice })],
  ['the reason of a refusal', event('approval_resolved', { subject: 'go', decision: 'denied', reason: advice })],
])('[C22] %s is wrapped and never cut', (_name, told) => {
  for (const width of [40, 80, 100]) {
    const out = paper(width)
    createEventPrinter(out, { withPrompts: false, withHints: false }).print(told)
    const lines = out.text().trimEnd().split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
    expect(
      lines
        .map((line) => line.slice(2))
        .join(' ')
        .replace(/ +/g, ' '),
    ).toContain(advice.replace('\n', ' '))
  }
})

test.each([
  ['\u001b[2Jgone', '␛[2Jgone'],
  ['a\tb\nc\r\n', 'a\tb\nc\r\n'],
  ['over\rwritten', 'over␍written'],
  ['\u0007\u007f\u009b', '␇␡\uFFFD'],
  ['rm \u202egpj.exe', 'rm \uFFFDgpj.exe'],
])('[C16] %j is shown as %j', (given, shown) => expect(escapeControls(given)).toBe(shown))

test.each([
  ['result', {}, ''],
  ['tool_start', { toolName: { toString: 1 } }, '· tool_start {"toolName":{"toString":1}}\n'],
  ['approval_requested', { approvalId: '\u001b[2J', subject: 'go', args: {} }, /bridle approve s1 ␛\[2J\n/],
])('[C16] a server that says %s with %j breaks nothing', (type, data, expected) => {
  const out = paper(80)
  createEventPrinter(out, { withPrompts: false, withHints: true }).print({ type, data, sessionId: 's1' })
  if (typeof expected === 'string') expect(out.text()).toBe(expected)
  else expect(out.text()).toMatch(expected)
})

test('in brief: one line, whole letters', () => {
  expect(truncateLine(' a\n\tb ', 10)).toBe('a b')
  expect(truncateLine('🐎🐎🐎🐎', 5)).toBe('🐎🐎…')
})

test('a table cuts its last column only', () => {
  const out = paper(24)
  printTable(
    out,
    ['ID', 'TITLE'],
    [
      ['a-long-one', 'a title that is long'],
      ['b', ''],
    ],
  )
  expect(out.text()).toBe('ID          TITLE\na-long-one  a title tha…\nb\n')
})

test('[C16] no cell of a table is a command to the terminal', () => {
  const out = paper(80)
  printTable(out, ['ARTIFACT', 'KIND', 'NAME'], [['a\u001b]0;x\u0007', 'k\u001b[2J\nfake  row', 'n\u009b2J']])
  expect(out.text()).toBe('ARTIFACT  KIND            NAME\na␛]0;x␇   k␛[2J fake row  n�2J\n')
})

test('[C16] a remark and an error show the text of a server as text', () => {
  const written: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  createOutput({ text: true }).note('bridle approve s \u001b[2J')
  write.mockRestore()
  expect(written.join('')).toContain('bridle approve s ␛[2J')
  for (const error of [
    new Error('No\u001b[2J.'),
    new FabricError(409, 'conflict', 'No\u001b[2J.'),
    new ExitError(1, 'No\u001b[2J.'),
  ])
    expect(explainError(error)).toEqual({ code: 1, message: 'No␛[2J.' })
})

test.each([
  [0, 'just now'],
  [59_000, '59 s ago'],
  [60_000, '1 m ago'],
  [3_600_000 * 5, '5 h ago'],
  [86_400_000 * 3, '3 d ago'],
  [-5_000, 'just now'],
])('%i ms before is %j', (ms, expected) => expect(timeAgo(new Date(1e12 - ms).toISOString(), 1e12)).toBe(expected))

test('[C280] on a terminal, text is broken between words; thinking and what follows it too', () => {
  const out = paper(21, true)
  const { print, freshLine } = createEventPrinter(out, { withPrompts: false, withHints: false })
  print(event('thinking_delta', { delta: 'It thinks about a lot of things' }))
  for (const delta of ['every wo', 'rd of this w', 'ent through']) print(event('text_delta', { delta }))
  print(event('tool_start', { toolName: 'read', args: {} }))
  print(event('text_delta', { delta: 'the end' }))
  expect(freshLine()).toBe(true)
  expect(freshLine()).toBe(false)
  expect(out.text()).toBe(
    'It thinks about a \nlot of things\nevery word of this w\u001b[1D\u001b[K\nwent through\n● read\nthe end\n',
  )
})
