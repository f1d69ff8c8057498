import type { HarnessApproval, HarnessState } from '@bridle/client/index'
import { expect, test } from 'vitest'
import { APPROVAL_ANSWERS } from '../approvals/approval-question.ts'
import { newDraft } from '../approvals/argument-draft.ts'
import { draftLines } from '../terminal/approval-text.ts'
import { answerIn } from '../terminal/question.ts'
import { ApprovalDesk } from './approval-desk.ts'
import { answerText } from './approval-talk.ts'

const approval = (id: string, toolName = 'deploy'): HarnessApproval => ({
  id,
  kind: 'tool',
  toolCallId: id,
  toolName,
  reason: '',
})
const stateOf = (open: HarnessApproval[], decided: { [id: string]: 'approved' | 'denied' } = {}): HarnessState => ({
  status: 'running',
  approvals: open,
  messages: [
    {
      ...{ id: 'm', role: 'assistant', content: '', status: 'streaming' },
      toolCalls: Object.entries(decided).map(([id, status]) => ({
        id,
        name: 'deploy',
        status: 'running',
        approval: { id, status },
      })),
    },
  ],
})

test('[C194] approvals are asked one after the other, and those that others answer are said', () => {
  const desk = new ApprovalDesk()
  const [a, b, c] = [approval('a'), approval('b'), approval('c')]
  expect(desk.update(stateOf([a, b, c]), true)).toEqual({ opened: a, closed: [] })
  expect(desk.update(stateOf([a, b, c]), true)).toEqual({ opened: null, closed: [] })
  desk.answer()
  expect(desk.update(stateOf([a, b, c]), true).opened).toBe(b)
  // Ours is gone, and somebody else has answered the one that is asked.
  expect(desk.update(stateOf([c], { a: 'approved', b: 'denied' }), true)).toEqual({
    opened: c,
    closed: [
      { approval: a, decision: 'approved', isOwn: true },
      { approval: b, decision: 'denied', isOwn: false },
    ],
  })
  expect(desk.update(stateOf([]), true).closed).toEqual([{ approval: c, decision: null, isOwn: false }])
})

test('[C194] a question waits while there is text in the input line, and comes again when its answer was not sent', () => {
  const desk = new ApprovalDesk()
  const a = approval('a')
  expect(desk.update(stateOf([a]), false)).toEqual({ opened: null, closed: [] })
  expect([desk.current, desk.waiting]).toEqual([null, 1])
  expect(desk.update(stateOf([a]), true).opened).toBe(a)
  desk.answer()
  expect([desk.update(stateOf([a]), true).opened, desk.waiting]).toEqual([null, 0])
  desk.reopen('a')
  expect(desk.update(stateOf([a]), true).opened).toBe(a)
})

test.each([
  ['y', 'y'],
  [' YES ', 'y'],
  ['no', 'n'],
  ['edit', 'e'],
  ['', null],
  ['yes please', null],
])('the answer %j', (text, answer) => expect(answerIn(text, APPROVAL_ANSWERS)).toBe(answer))

test('[C194] every character of an approval is shown, and what became of it', () => {
  const style = (_format: unknown, text: string) => text
  const hostile = approval('a', 'bash')
  const args = { command: `rm ${'x'.repeat(60)}\u001b[8m\u202e` }
  const request = { subject: 'bash', args, reason: 'Why.' }
  const lines = draftLines(request, newDraft(args), 40, style)
  expect(lines.map((line) => line.slice(2)).join('')).toContain('\\u001b[8m\\u202e')
  expect(lines.slice(1, -1).every((line) => line.startsWith('│ '))).toBe(true)
  expect(draftLines(request, { ...newDraft({}), edited: { p: 1 } }, 40, style)[0]).toBe('? bash {"p":1}')
  expect(answerText(hostile, 'approved', true)).toBe('bash approved')
  expect(answerText(hostile, 'denied', false)).toBe('bash denied, elsewhere')
  expect(answerText(hostile, 'cancelled', false)).toBe('bash cancelled')
  expect(answerText(hostile, 'expired', false)).toBe('bash expired')
  expect(answerText(hostile, null, false)).toBe('bash is no longer asked')
  expect(answerText(hostile, null, true)).toBe('bash answered')
})
