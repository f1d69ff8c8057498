import type { LogEntry, TreeSession } from 'bridle/client'
import { describe, expect, test } from 'vitest'
import { compareLogs, promptPairs } from './compare/comparison.ts'
import { logRows } from './compare/log-rows.ts'
import { approvalsOf, sumsOf, turnsOf } from './compare/session-sums.ts'
import { axisTicks, chosenPair, sharedSeq, treeLines } from './tree/tree-layout.ts'

const session = (id: string, head: number | null, parent: [string, number] | null = null): TreeSession => ({
  ...{ id, agent: 'scripted', visible: head !== null, parent: parent && { id: parent[0], seq: parent[1] } },
  ...{ title: id, status: 'idle', head, created_at: `2026-01-01T00:00:0${id.length}.000Z`, updated_at: null },
  ...{ cost_usd: null, tokens: 0, checkpoints: [], approvals: [] },
})
const tree = [
  session('root', 118),
  session('codemod', 58, ['root', 30]),
  session('deadline', 109, ['root', 52]),
  session('leaf', 88, ['deadline', 71]),
  session('early', 80, ['deadline', 20]),
]

describe('[C55] the tree on an axis of event numbers', () => {
  test('a line begins where it leaves its parent', () => {
    expect(treeLines(tree).map(({ from, to, parent }) => [from, to, parent])).toEqual([
      [0, 118, null],
      [30, 58, 0],
      [52, 109, 0],
      [71, 88, 2],
      [20, 80, 2],
    ])
    const gone = [session('gone', null), session('x', 30, ['gone', 12]), session('y', 40, ['gone', 20])]
    expect(treeLines(gone)[0]).toMatchObject({ from: 0, to: 20, parent: null })
  })

  test.each([
    [118, [0, 20, 40, 60, 80, 100, 118]],
    [5, [0, 1, 2, 3, 4, 5]],
    [0, [0]],
    [100_000, [0, 20_000, 40_000, 60_000, 80_000, 100_000]],
  ])('ticks up to %i', (last, ticks) => expect(axisTicks(last)).toEqual(ticks))

  test.each([
    ['root', 'codemod', 30],
    ['codemod', 'deadline', 30],
    ['leaf', 'deadline', 71],
    ['leaf', 'codemod', 30],
    ['leaf', 'root', 52],
    // A branch from an event that its parent has of its own parent.
    ['early', 'root', 20],
    ['early', 'leaf', 20],
    ['root', 'unknown', null],
  ])('%s and %s share the events up to %s', (a, b, seq) => {
    expect([sharedSeq(tree, a, b), sharedSeq(tree, b, a)]).toEqual([seq, seq])
  })

  test('[C56] the address names the two, else a branch stands beside its parent', () => {
    const none = { a: null, b: null }
    expect(chosenPair(tree, 'leaf', none)).toEqual({ a: 'deadline', b: 'leaf' })
    expect(chosenPair(tree, 'root', none)).toEqual({ a: 'root', b: 'deadline' })
    expect(chosenPair(tree, 'root', { a: 'leaf', b: 'codemod' })).toEqual({ a: 'leaf', b: 'codemod' })
    expect(chosenPair(tree, 'root', { a: 'nobody', b: 'codemod' })).toEqual({ a: 'root', b: 'codemod' })
    expect(chosenPair([session('alone', 3)], 'alone', none)).toEqual({ a: 'alone', b: null })
    expect(chosenPair(tree, 'root', { a: 'leaf', b: 'leaf' })).toEqual({ a: 'leaf', b: null })
  })
})

type Draft = readonly [type: string, payload: object, run?: string, more?: object]
const log = (after: number, ...drafts: Draft[]): LogEntry[] =>
  drafts.map(([type, payload, run, more], index) => ({
    ...{ seq: after + index + 1, at: 1_000 * (after + index), type, payload, ...more },
    ...(run !== undefined && { run }),
  })) as unknown as LogEntry[]
const asked = (prompt: string, run: string): Draft[] => [
  ['prompt_queued', { text: prompt, run_id: run, message_id: `m-${run}` }, run],
  ['turn_start', { turn_id: run, prompt }, run],
]
const called = (id: string, path: string, result: unknown, status = 'ok'): Draft[] => [
  ['tool_call', { name: 'edit', arguments: { path, _tool_call_id: id }, tool_call_id: id }, 'r'],
  ['tool_outcome', { tool_call_id: id, tool_name: 'edit', status, elapsed_ms: 100, result }, 'r'],
]
const answered = (text: string, run = 'r'): Draft[] => [
  ['token', { text }, run],
  ['usage', { input_tokens: 10, output_tokens: 5, cost_usd: 0.5 }, run],
  ['turn_end', { turn_id: run, status: 'completed' }, run],
]

const superseded = (more: object): Draft => ['output_superseded', { run_id: 'r', attempt: 1, ...more }, 'r']
const heard = (chars: number): object => ({ keep: { chars, parts: 1 }, interrupted: { text: 'Heard' } })

describe('[C57] two logs side by side', () => {
  const shared = log(0, ['session_created', {}], ['session_checkpoint', { summary_text: 'begun', sequence: 1 }])
  const seed: Draft = ['session_checkpoint', { checkpoint_type: 'resume_seed', summary_text: 'x' }]

  test('events that say the same are common, whatever their ids, numbers and times', () => {
    const a = [
      ...shared,
      ...log(2, ...asked('go', 'r'), ...called('c1', 'a.ts', 1), ...called('c2', 'b.ts', 1), ...answered('A')),
    ]
    const b = [
      ...shared,
      ...log(
        2,
        ['branched', {}],
        seed,
        ...asked('go', 'r'),
        ...called('d1', 'a.ts', 1),
        ...called('d2', 'b.ts', 2),
        ...answered('B'),
      ),
    ]
    const compared = compareLogs(a, b, 2)
    expect(compared.difference).toBe('Goes on with another result')
    expect(compared.partsAfter).toBe(6)
    expect(compared.a.shared.map(({ seq, kind }) => [seq, kind])).toEqual([
      [3, 'prompt'],
      [6, 'call'],
    ])
    expect(compared.a.own.map(({ text, tool }) => `${tool} ${text}`.trim())).toEqual(['edit b.ts', 'Answered: “A”'])
    expect(compared.b.own.map(({ text, tool }) => `${tool} ${text}`.trim())).toEqual(['edit b.ts', 'Answered: “B”'])
    expect(compared.b.sums).toEqual({ calls: 2, failedCalls: 0, callMs: 200, costUsd: 0.5, tokens: 15 })
    expect(promptPairs(compared)).toMatchObject([
      { isSamePrompt: true, isSameAnswer: false, a: { answer: 'A', calls: 2 } },
    ])
  })

  test('a turn that was at work when the branch left goes on in its parent alone', () => {
    const common = log(0, ...asked('go', 'r'), ['token', { text: 'Half ' }, 'r'])
    const a = [...common, ...log(3, ...called('c1', 'a.ts', 1, 'error'), ['turn_end', { status: 'failed' }, 'r'])]
    const b = [
      ...common,
      ...log(
        3,
        ['branched', {}],
        ['turn_end', { status: 'cancelled', stop_reason: 'branched' }, 'r'],
        ...asked('other', 's'),
        ...answered('Done', 's'),
      ),
    ]
    expect(promptPairs(compareLogs(a, b, 3))).toMatchObject([
      {
        a: { prompt: 'go', answer: 'Half ', status: 'failed', calls: 1, failedCalls: 1 },
        b: { prompt: 'other', answer: 'Done', status: 'completed', calls: 0 },
        isSamePrompt: false,
      },
    ])
  })

  test.each<[string, Draft[], Draft[], string | null]>([
    ['nothing', [...asked('go', 'r'), ...answered('x')], [...asked('go', 'r'), ...answered('x')], null],
    ['another prompt', asked('go', 'r'), asked('stop', 'r'), 'Goes on with another prompt'],
    ['an end', [...asked('go', 'r'), ...answered('x')], asked('go', 'r'), 'Has nothing more'],
    ['a beginning', [], asked('go', 'r'), 'Goes on alone'],
    ['another path', called('c', 'a', 1), called('c', 'b', 1), 'Goes on with another call'],
  ])('they differ by %s', (_name, a, b, difference) => {
    expect(compareLogs([...shared, ...log(2, ...a)], [...shared, ...log(2, ...b)], 2).difference).toBe(difference)
  })

  test('what is withheld, hearsay or the end of the parent’s work is no row; a call at work is one', () => {
    const rows = logRows(
      log(
        0,
        ['model_step', {}, 'r', { withheld: true }],
        ['error', { message: 'x' }, 'r', { hearsay: true }],
        ['tool_outcome', { tool_call_id: 'p', tool_name: 'edit', status: 'error', reason: 'branched' }, 'r'],
        ['turn_end', { status: 'cancelled', stop_reason: 'branched' }, 'r'],
        ['tool_call', { name: 'run', arguments: { command: 'npm test' }, tool_call_id: 'q' }, 'r'],
      ),
    )
    expect(rows).toMatchObject([{ seq: 5, tool: 'run', text: 'npm test', icon: 'loader-circle' }])
  })

  test('[C425] a question is a row, and its answer another: neither is the call of a tool', () => {
    const ids = { request_id: 'apr-1', tool_call_id: 'q', tool_name: 'ask' }
    const rows = logRows(
      log(
        0,
        ['tool_call', { name: 'ask', arguments: {}, tool_call_id: 'q' }, 'r'],
        ['approval_required', { ...ids, kind: 'question', questions: [{ id: 'db', question: 'Which?' }] }, 'r'],
        ['approval_applied', { ...ids, kind: 'question', answers: { db: 'SQLite' } }, 'r'],
        ['tool_outcome', { ...ids, status: 'ok' }, 'r'],
      ),
    )
    expect(rows.map(({ kind, tool, text }) => [kind, tool, text])).toEqual([
      ['approval', '', 'Which?'],
      ['marker', '', 'Answered: SQLite'],
    ])
  })

  test.each<[string, Draft[], string]>([
    [
      'a step that a crash cut off',
      [
        ['token', { text: 'Kept lost' }, 'r'],
        superseded({ keep: { chars: 5, parts: 1 } }),
        ['token', { text: 'again' }, 'r'],
      ],
      'Kept again',
    ],
    [
      'a turn that starts over',
      [['token', { text: 'Lost' }, 'r'], superseded({}), ['token', { text: 'New' }, 'r']],
      'New',
    ],
    [
      'a text that replaces a broken stream',
      [
        ['token', { text: 'Lo' }, 'r'],
        ['response', { text: 'Lost', so_far: true }, 'r'],
        ['token', { text: ' and found' }, 'r'],
      ],
      'Lost and found',
    ],
    [
      'an interruption while it is written',
      [
        ['token', { text: 'Heard unheard' }, 'r'],
        superseded(heard(5)),
        ['cancel_requested', { run_id: 'r' }, 'r'],
        ['token', { text: ' late' }, 'r'],
      ],
      'Heard',
    ],
    ['an answer that only its result has', [['completed', { result: 'Done' }, 'r']], 'Done'],
  ])('the answer is as the conversation has it, after %s', (_name, drafts, answer) => {
    const entries = log(0, ...asked('go', 'r'), ...drafts, ['turn_end', { turn_id: 'r', status: 'completed' }, 'r'])
    expect(logRows(entries).at(-1)?.text).toBe(`Answered: “${answer}”`)
    expect(turnsOf(entries, 0).map((turn) => turn.answer)).toEqual([answer])
  })

  test('a listener who interrupts an answer that is written leaves the part that was heard', () => {
    const entries = log(0, ...asked('go', 'r'), ...answered('Heard unheard'), superseded(heard(5)), superseded({}))
    expect(logRows(entries).map(({ seq, text }) => [seq, text])).toEqual([
      [1, '“go”'],
      [5, 'Answered: “Heard”'],
    ])
    expect(turnsOf(entries, 0).map(({ answer }) => answer)).toEqual(['Heard'])
  })

  test('sums count failures, and say nothing of a cost that nobody told', () => {
    const entries = log(0, ...called('a', 'x', 1, 'timeout'), ...called('b', 'x', 1), ['usage', { total_tokens: 7 }])
    expect(sumsOf(entries)).toEqual({ calls: 2, failedCalls: 1, callMs: 200, costUsd: null, tokens: 7 })
    const approvals = log(
      0,
      ['approval_required', { request_id: '1' }],
      ['approval_required', { request_id: '2' }],
      ['approval_required', { request_id: '3' }],
      ['approval_applied', { request_id: '1', decision: 'approved' }],
      ['approval_applied', { request_id: '3', decision: 'denied' }],
    )
    expect(approvalsOf(approvals)).toEqual({ open: 1, given: 1, denied: 1 })
  })
})
