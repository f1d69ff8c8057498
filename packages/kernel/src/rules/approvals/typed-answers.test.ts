import { describe, expect, test } from 'vitest'
import type { ReportItem } from '../../commands.ts'
import { call, deny, messageSummary, running, TestSession } from '../rules.suite.ts'
import { hasFiles, openTextQuestion } from './typed-answers.ts'

const question = (id: string, more: object = {}): ReportItem[] => [
  call(id, 'pure', 'user.input', { answer: '' }),
  {
    ...{ type: 'ask', toolCallId: id, tool: 'user.input', arguments: { answer: '' } },
    ...{ reason: 'Your name?', digest: 'digest-1', ...more },
  } as ReportItem,
]
const asked = { questions: [{ id: 'answer', question: 'Your name?', allow_free_text: true }] }

const choice = [{ id: 'db', question: 'Which?', options: [{ label: 'yes' }] }]
const form = { type: 'object', properties: { name: { type: 'string' } } }

/** A life whose durable run has asked these questions. */
const asking = (...items: readonly ReportItem[]): TestSession => {
  const life = new TestSession()
  life.submit('go')
  life.report({ type: 'started', durable: true } as ReportItem, ...items)
  return life
}
/** The prompt as `Host.send` binds it to the question. */
const type = (life: TestSession, prompt: string, as: 'submit' | 'steer' = 'submit') => {
  const open = openTextQuestion(life.state)
  const inputAnswer = open && { approvalId: open.id, answers: { answer: prompt }, digest: 'digest-2' }
  return life.do({ type: as, prompt, ...(inputAnswer && { inputAnswer }) })
}

describe('[N76] [S75] a prompt', () => {
  test.each([
    ['submit', 'question'],
    ['steer', 'question'],
    ['submit', undefined],
  ] as const)('answers the open question for a text (%s, kind %s)', (as, kind) => {
    const life = asking(...question('c1', kind && { kind, ...asked }))
    const [id] = life.openApprovals
    const answer = type(life, 'Ada', as)
    expect(answer).toMatchObject({ runId: life.run.runId, delivery: 'steered', approvalId: id })
    expect(life.payloads('approval_decided')).toEqual([
      { request_id: id, decision: 'approved', answers: { answer: 'Ada' }, approved_digest: 'digest-2' },
    ])
    expect([life.openApprovals, life.state.lifecycle.queue.length, life.state.lifecycle.steers]).toEqual([[], 0, []])
    expect(life.messages.filter(({ role }) => role === 'user').map(messageSummary)).toEqual([
      'user complete: go',
      'user complete: Ada',
    ])
    expect(life.state.approvals.decided[id ?? '']?.arguments).toEqual({ answer: '', answers: { answer: 'Ada' } })
    // The next one is a prompt again, and begins a turn of its own.
    expect(type(life, 'And now?', 'submit')).toMatchObject({ delivery: 'queued' })
  })

  test('that comes when the question is settled or expired is like any other', () => {
    const life = asking(...question('c1', { expiresMs: 1_000 }))
    const inputAnswer = { approvalId: life.openApprovals[0] ?? '', answers: { answer: 'late' }, digest: 'digest-2' }
    life.wait(1_000)
    expect(life.do({ type: 'submit', prompt: 'late', inputAnswer })).toMatchObject({ delivery: 'queued' })
    const denied = asking(...question('c1'))
    denied.do(deny(inputAnswer.approvalId))
    expect(denied.do({ type: 'submit', prompt: 'late', inputAnswer })).toMatchObject({ delivery: 'queued' })
    expect(denied.payloads('approval_decided').map(({ decision }) => decision)).toEqual(['denied'])
  })

  test.each<[string, () => TestSession]>([
    ['the approval of a tool', () => asking(...question('c1', { tool: 'pay' }))],
    ['a call that may have happened', () => asking(...question('c1', { kind: 'unknown_outcome' }))],
    ['two questions', () => asking(...question('c1'), ...question('c2', { digest: 'digest-2' }))],
    ['a question beside an approval', () => asking(...question('c1'), ...question('c2', { tool: 'pay', digest: 'd' }))],
    ['a choice', () => asking(...question('c1', { kind: 'question', questions: choice }))],
    ['a form', () => asking(...question('c1', { kind: 'question', schema: form }))],
    [
      'two questions in one request',
      () => asking(...question('c1', { kind: 'question', questions: [...asked.questions, ...choice] })),
    ],
    [
      'a tool of an engine, whatever its name',
      () => {
        const life = running()
        life.report(...question('c1'))
        return life
      },
    ],
  ])('never answers %s', (_name, begin) => {
    const life = begin()
    const open = life.openApprovals
    expect(open.length).toBeGreaterThan(0)
    expect(openTextQuestion(life.state)).toBeNull()
    const inputAnswer = { approvalId: open[0] ?? '', answers: { answer: 'yes' }, digest: 'digest-1' }
    for (const as of ['submit', 'steer'] as const)
      expect(life.do({ type: as, prompt: 'yes', inputAnswer })).toMatchObject({ delivery: 'queued' })
    expect([life.openApprovals, life.payloads('approval_decided')]).toEqual([open, []])
  })
})

test('[V114] a spoken prompt that means an option answers the only open question, and is like any other where it does not fit', () => {
  const life = asking(...question('c1', { kind: 'question', questions: choice }))
  const [approvalId = ''] = life.openApprovals
  const { id, options } = choice[0] as (typeof choice)[number]
  const say = (answers: { readonly [id: string]: string }) =>
    life.do({ type: 'submit', prompt: 'The first one.', inputAnswer: { approvalId, answers, digest: 'digest-2' } })
  expect(say({ [id]: 'none of them' })).toMatchObject({ delivery: 'queued' })
  expect(say({ [id]: options[0]?.label ?? '' })).toMatchObject({ delivery: 'steered', approvalId })
  expect(life.payloads('approval_decided')).toMatchObject([{ answers: { [id]: options[0]?.label } }])
  expect(life.payloads('steered')).toMatchObject([{ text: 'The first one.' }])
  const two = asking(...question('c1', { kind: 'question', questions: choice }), ...question('c2', { digest: 'd' }))
  const first = { approvalId: two.openApprovals[0] ?? '', answers: { [id]: options[0]?.label ?? '' }, digest: 'x' }
  expect(two.do({ type: 'submit', prompt: 'The first one.', inputAnswer: first })).toMatchObject({ delivery: 'queued' })
})

describe('[OH145] [OH146] a prompt with a condition', () => {
  const answers = (life: TestSession, more: object = {}) => life.do({ type: 'submit', prompt: 'Ada', ...more } as never)

  test('that may only answer is refused where no text is asked for, and adds nothing', () => {
    const life = asking(...question('c1'))
    const inputAnswer = { approvalId: life.openApprovals[0] ?? '', answers: { answer: 'Ada' }, digest: 'digest-2' }
    expect(answers(life, { only: 'answer', inputAnswer })).toMatchObject({ delivery: 'steered' })
    const { head } = life.state
    for (const late of [{ inputAnswer }, {}])
      expect(answers(life, { only: 'answer', ...late })).toMatchObject({ refused: 'approval_not_found' })
    expect(life.state.head).toBe(head)
  })

  test('that joins gets the run in progress, answers nothing and adds nothing; without a run it begins one', () => {
    const life = asking(...question('c1'))
    const { head } = life.state
    expect(answers(life, { only: 'join' })).toMatchObject({ runId: life.run.runId })
    expect([life.state.head, life.openApprovals.length]).toEqual([head, 1])
    const idle = new TestSession()
    expect(answers(idle, { only: 'join' })).toMatchObject({ runId: 'r-2', delivery: 'started' })
  })
})

test.each([
  [undefined, false],
  ['text', false],
  [{ attachments: [] }, false],
  [{ openharness: { shell: {} } }, false],
  [{ attachments: [{ ref_id: 'f' }] }, true],
  [{ openharness: { attachments: [{ uri: 'https://x' }] } }, true],
])('[N76] files in an input: %o is %s', (input, has) => expect(hasFiles(input)).toBe(has))
