// Questions of a run at a terminal whose keys come from the test.
import { PassThrough } from 'node:stream'
import { FabricError } from '@bridle/client/http/error'
import { afterEach, expect, test, vi } from 'vitest'
import { keepingOutput } from '../verb-calls.suite.ts'
import { approvalQuestions } from './approval-questions.ts'
import { withWholeApproval } from './child-approval.ts'
import { headlessQuestions } from './headless-questions.ts'
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
const play = async (typed: readonly string[], prepared: { readonly [name: string]: string } = {}, failures = 0) => {
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
    if (sent.length <= failures) throw new FabricError(0, 'unreachable', 'Away.')
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
const there = 'bridle answer below apr-1 NAME=ANSWER --agent helper'

test('[C406] a question that is too large for the notice of a child is read from that child', async () => {
  const session = vi.fn(async () => ({ approvals: [{ id: 'apr-1', questions }] }))
  const whole = await withWholeApproval({ session } as never, cut)
  expect(session.mock.calls).toEqual([['below', 'helper']])
  expect(whole.data).toEqual({ ...cut.data, questions })
  expect(await withWholeApproval({ session: () => Promise.reject(new Error('no')) } as never, cut)).toEqual(cut)
})

test('[C406] where the child cannot be read, the question is left to its session, and is not asked as a call', async () => {
  const { out, notes } = keepingOutput(false, 80)
  const place = approvalQuestions({
    ...{ env: {}, id: 's', agent: null, nextFlags: () => '', fabric: {} as never },
    ...{ out: { ...out, canAsk: true }, printing: { withPrompts: false, withHints: false } },
  })
  place.show(cut)
  await vi.waitFor(() => expect(notes).toEqual([`Left open; answer with ${there}, or reject.`]))
  await place.close()
})

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
})
