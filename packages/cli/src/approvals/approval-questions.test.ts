// Questions of a run at a terminal whose keys come from the test.
import { PassThrough } from 'node:stream'
import { FabricError } from '@bridle/client/http/error'
import { afterEach, expect, test, vi } from 'vitest'
import { cutApproval } from '../terminal/answer-fields.ts'
import { keepingOutput } from '../verb-calls.suite.ts'
import { approvalQuestions } from './approval-questions.ts'
import { withWholeApproval } from './child-approval.ts'
import { headlessQuestions } from './headless-questions.ts'
import { cutError, questionError } from './missing-approval.ts'
import { PreparedAnswers } from './prepared-answers.ts'

afterEach(() => void vi.restoreAllMocks())

const questions = [
  { id: 'db', header: 'Database', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'b' }] },
  { id: 'name', question: 'Name?', allow_free_text: true },
]
const answers = { db: 'SQLite', name: 'Ann' }
const asked = {
  ...{ type: 'approval_requested', sessionId: 's' },
  data: { approvalId: 'apr-1', kind: 'question', subject: 'ask', reason: 'Which?', args: {}, questions },
}

/** Types the lines, one at each prompt, and returns what was asked and sent. */
const play = async (
  typed: readonly string[],
  prepared: { readonly [name: string]: string } = {},
  failures = 0,
  failure = new FabricError(0, 'unreachable', 'Away.'),
) => {
  const keys = new PassThrough()
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(keys as never)
  const { out, printed, notes } = keepingOutput(false, 80)
  const left = [...typed]
  const prompts: string[] = []
  const write = (text: string) => {
    out.write(text)
    if (!text.endsWith(': ')) return
    prompts.push(text.trim())
    keys.write(`${left.shift() ?? ''}\n`)
  }
  const sent: unknown[] = []
  const ended = Promise.withResolvers<void>()
  const send = async (...call: unknown[]) => {
    sent.push(call)
    if (sent.length <= failures) throw failure
    ended.resolve()
  }
  const entries = new Map(Object.entries(prepared).map(([name, value]) => [name, { value }]))
  const place = approvalQuestions({
    ...{ env: {}, id: 's', agent: null, nextFlags: () => '' },
    fabric: { answer: send, approve: send, reject: send } as never,
    out: { ...out, canAsk: true, write },
    printing: { withPrompts: false, withHints: false },
    takePrepared: (request) => new PreparedAnswers(entries).take(request),
  })
  place.show(asked)
  await ended.promise
  await place.close()
  return { prompts, sent, notes, left, text: printed.join('') }
}

test('[C408] the questions of a request are asked in turn, and their answers are sent together', async () => {
  const { prompts, sent, text } = await play(['Oracle', '1', 'Ann'])
  expect(prompts).toEqual(['Number 1-2:', 'Number 1-2:', 'Answer:'])
  expect(sent).toEqual([['s', 'apr-1', { answers }]])
  expect(text).toContain('  That does not fit. Write the number or the label of an option.\n')
})

test('[C408] answers that could not be sent are sent again, or asked again', async () => {
  const again = 'Send the same answers again? [y]es, [n]o:'
  const same = await play(['1', 'Ann', 'y'], {}, 1)
  expect([same.prompts, same.notes]).toEqual([['Number 1-2:', 'Answer:', again], ['Away.']])
  expect(same.sent).toEqual([1, 2].map(() => ['s', 'apr-1', { answers }]))
  const anew = await play(['1', 'Ann', 'n', 'b', 'Bob'], {}, 1)
  expect(anew.sent.at(-1)).toEqual(['s', 'apr-1', { answers: { db: 'b', name: 'Bob' } }])
})

test('[C408] refused answers are not offered again: each question is asked, with the earlier answer as its default', async () => {
  const refused = new FabricError(400, 'invalid_answer', 'No.')
  const { prompts, sent, notes, text } = await play(['1', 'Ann', '', 'y'], {}, 1, refused)
  expect([prompts, notes]).toEqual([['Number 1-2:', 'Answer:', 'Number 1-2:', 'Answer:'], ['No.']])
  expect(text).toContain('Enter takes the default: SQLite')
  expect(sent.at(-1)).toEqual(['s', 'apr-1', { answers: { db: 'SQLite', name: 'y' } }])
  const ahead = await play(['', ''], answers, 1, refused)
  expect([ahead.prompts.length, ahead.sent]).toEqual([2, [1, 2].map(() => ['s', 'apr-1', { answers }])])
})

test('[C408] /decline declines all questions of the request', async () => {
  const { sent, prompts } = await play(['1', ' /decline '])
  expect([prompts.length, sent]).toEqual([2, [['s', 'apr-1', {}]]])
})

test('[C404] [C405] answers in advance are sent, completed by the person, or replaced where they do not fit', async () => {
  const whole = await play([], answers)
  expect([whole.prompts, whole.sent]).toEqual([[], [['s', 'apr-1', { answers }]]])
  expect(whole.text).toContain('? 1 of 2: Database\n│ Which?\n')
  const part = await play(['Ann'], { db: 'SQLite' })
  expect([part.prompts, part.sent]).toEqual([['Answer:'], [['s', 'apr-1', { answers }]]])
  const unfit = await play(['1', 'Ann'], { db: 'Oracle' })
  expect([unfit.prompts.length, unfit.sent]).toEqual([2, [['s', 'apr-1', { answers }]]])
  expect(unfit.notes).toEqual(['The answer in advance does not fit. "Oracle" is not an option of question "db".'])
})

const child = { id: 'below', agent: 'helper', approvalId: 'apr-1', isCut: true }
const cut = { ...asked, data: { ...asked.data, questions: undefined, approvalId: 'below:apr-1', child } }
const cutCall = { ...cut, data: { ...cut.data, kind: 'tool', subject: 'bash', reason: 'It wr' } }
const callThere = 'bridle approve below apr-1 --agent helper'
const there = 'bridle answer below apr-1 NAME=ANSWER --agent helper'

test('[C406] a question that is too large for the notice of a child is read from that child', async () => {
  const found = { id: 'apr-1', toolName: 'ask', reason: 'Which?', args: {}, questions }
  const session = vi.fn(async () => ({ approvals: [found] }))
  const whole = await withWholeApproval({ session } as never, cut)
  expect(session.mock.calls).toEqual([['below', 'helper']])
  expect(whole.data).toEqual({ ...cut.data, questions, child: { ...child, isCut: undefined } })
  expect(await withWholeApproval({ session: () => Promise.reject(new Error('no')) } as never, cut)).toEqual(cut)
})

test('[C21] [C406] a call that is too large for the notice of a child is shown whole', async () => {
  const args = { command: 'x'.repeat(20_000) }
  const found = { id: 'apr-1', toolName: 'bash', reason: 'It writes.', args }
  const whole = await withWholeApproval({ session: async () => ({ approvals: [found] }) } as never, cutCall)
  expect(whole.data).toMatchObject({ subject: 'bash', reason: 'It writes.', args })
  expect(cutApproval(whole.data)).toBe(null)
  const gone = { session: async () => ({ approvals: [] }) }
  expect(await withWholeApproval(gone as never, cutCall)).toEqual(cutCall)
})

test('[C406] a call that cannot be shown is not edited, and is no question', () => {
  const approval = { ...cutCall.data, id: 'below:apr-1', toolName: 'bash' } as never
  expect(questionError('s', approval, {})).toBe(null)
  expect(cutError(approval, {})?.message).toBe(
    `below:apr-1 is too long to edit here. Edit it in the session that asks:\n  ${callThere} --edit`,
  )
})

test.each([
  ['question', cut, there],
  ['call', cutCall, callThere],
])(
  '[C406] where the child cannot be read, the %s is left to its session, and nothing is asked',
  async (_kind, event, there) => {
    const { out, notes, printed } = keepingOutput(false, 80)
    const place = approvalQuestions({
      ...{ env: {}, id: 's', agent: null, nextFlags: () => '', fabric: {} as never },
      ...{ out: { ...out, canAsk: true }, printing: { withPrompts: false, withHints: false } },
    })
    place.show(event)
    await vi.waitFor(() => expect(notes).toEqual([`Left open; answer with ${there}, or reject.`]))
    expect(printed.join('')).toContain('  Too long to show here. Read it in that session.\n')
    expect(printed.join('')).not.toContain('Approve?')
    await place.close()
  },
)

test('[C402] a run without a terminal ends with 3 at such a question', async () => {
  const session = async () => ({ approvals: [{ id: 'below:apr-1' }] })
  const headless = (waits: boolean) =>
    headlessQuestions({
      ...{ fabric: { session } as never, id: 's', agent: 'scripted', waits, prepared: new PreparedAnswers(new Map()) },
      howToAnswer: (approvalId, commandAt) => {
        const command = commandAt({ command: 'bridle', id: 's', approvalId, nextFlags: '' })
        return { command, words: command }
      },
    })
  await expect(headless(false)(cut)).rejects.toMatchObject({ code: 3, approvalId: 'below:apr-1', command: there })
  await expect(headless(true)(cut)).resolves.toBeUndefined()
  // An approval does not end the run.
  await expect(headless(false)(cutCall)).resolves.toBeUndefined()
})
