import { type HarnessApproval, type HarnessClient, HarnessError, type HarnessState } from '@bridle/client/index'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withText } from '../approvals/argument-draft.ts'
import { ApprovalTalk, QUESTION_ARM_MS } from './approval-talk.ts'
import { LinePrinter } from './thread/line-printer.ts'

// The questions look at the clock: a slow machine must not arm them.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const approval = (id: string): HarnessApproval => ({
  ...{ id, kind: 'tool', toolCallId: id, toolName: id, reason: '', arguments: { p: id } },
})
const stateOf = (...approvals: HarnessApproval[]): HarnessState => ({ status: 'running', messages: [], approvals })

const world = (fails = false, readApproval = async (each: HarnessApproval) => each) => {
  const printer = new LinePrinter()
  const [sent, said]: [unknown[], string[]] = [[], []]
  const client = {
    approve: async (...answer: unknown[]) => {
      sent.push(answer)
      if (fails) throw new HarnessError('not_sent', 'Away.')
    },
    subscribe: () => () => {},
    getSnapshot: () => stateOf(),
  } as unknown as HarnessClient
  const talk = new ApprovalTalk({
    ...{ client, printer, columns: () => 60, readApproval, redraw: () => {} },
    edit: async (draft) => withText(draft, '{"p":"edited"}'),
    paint: { style: (_format, text) => text, hasColour: false },
    note: (text) => said.push(text),
    sayError: (error) => said.push((error as Error).message),
    withoutWindow: (act) => act(),
  })
  const show = (...approvals: HarnessApproval[]) => {
    talk.update(stateOf(...approvals), true)()
    return printer.take()
  }
  return { talk, show, sent, said, printer }
}

test('[C160] [C194] edited arguments go with the approval that they were shown for, and with no other', async () => {
  const { talk, show, sent, printer } = world()
  const [a, b, c] = [approval('a'), approval('b'), approval('c')]
  expect(show(a, b, c)).toEqual(['? a {"p":"a"}'])
  expect([talk.isAsking, talk.isArmed]).toEqual([true, false])
  vi.setSystemTime(Date.now() + QUESTION_ARM_MS)
  expect([talk.isAsking, talk.isArmed]).toEqual([true, true])
  await talk.answer('e')
  expect(printer.take()).toEqual(['? a {"p":"edited"}', '  Changed:', '  -   "p": "a"', '  +   "p": "edited"'])
  // Another approval closes meanwhile: the edit stays with the one that is asked.
  expect(show(a, b)).toEqual(['✗ c is no longer asked'])
  await talk.answer('y')
  expect(show(a, b)).toEqual(['? b {"p":"b"}'])
  await talk.answer('e')
  // Somebody else answers the edited one: the next is asked as it is.
  printer.take()
  expect(show(approval('d'))).toContain('? d {"p":"d"}')
  await talk.answer('yes')
  expect(sent).toEqual([
    ['a', 'approved', { args: { p: 'edited' } }],
    ['d', 'approved', {}],
  ])
})

test('[C194] an answer that was not sent is asked again; another word is no answer', async () => {
  const { talk, show, sent, said } = world(true)
  show(approval('a'))
  await talk.answer('maybe')
  await talk.answer('n')
  expect(sent).toEqual([['a', 'denied', {}]])
  expect(said).toEqual(['Answer y, n or e; /cancel stops the run.', 'Away.'])
  expect(show(approval('a'))).toEqual(['? a {"p":"a"}'])
})

test('[C160] an edit that the server refuses is shown again with its changes, to be mended', async () => {
  const { talk, show, sent, said, printer } = world(true)
  show(approval('a'), approval('b'))
  await talk.answer('e')
  printer.take()
  await talk.answer('y')
  expect(said).toEqual(['Away.'])
  expect(show(approval('a'), approval('b'))).toContain('? a {"p":"edited"}')
  await talk.answer('n')
  expect(sent).toEqual([
    ['a', 'approved', { args: { p: 'edited' } }],
    ['a', 'denied', {}],
  ])
})

test('[C280] a denial that is on the screen is known: the call that it ends says nothing more', () => {
  const { talk, show, printer } = world()
  show(approval('a'), approval('b'))
  const decided = (id: string, status: 'denied' | 'approved') => ({
    ...{ id, name: id, status: 'running' as const, approval: { id, status } },
  })
  const toolCalls = [decided('a', 'denied'), decided('b', 'approved')]
  const messages = [
    { ...{ id: 'm', role: 'assistant' as const, content: '', status: 'streaming' as const }, toolCalls },
  ]
  talk.update({ status: 'running', messages, approvals: [] }, true)
  expect(printer.take()).toEqual(['✗ a denied, elsewhere', '✓ b approved, elsewhere'])
  expect(['a', 'b', 'c'].map((id) => talk.isDenialShown(id))).toEqual([true, false, false])
})

const asking = (id: string): HarnessApproval => ({
  ...{ ...approval(id), kind: 'question', toolName: 'ask', reason: 'Which database?' },
  questions: [
    { id: 'db', header: 'Database', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'b' }] },
    { id: 'name', question: 'Name?', allow_free_text: true },
  ],
})

test('[C410] questions are asked one after the other, and the answers are sent together', async () => {
  const { talk, show, sent, said, printer } = world()
  expect([talk.isAsking, talk.takesText]).toEqual([false, false])
  expect(show(asking('a'), asking('b'), approval('c'))).toEqual([
    '? 1 of 2: Database',
    '│ Which database?',
    '  1  SQLite',
    '  2  b',
    '  /decline gives no answer.',
  ])
  expect([talk.prompt, talk.takesText, talk.isArmed]).toEqual(['Number 1-2: ', false, false])
  await talk.answer('3')
  expect([said, sent]).toEqual([['That does not fit. Write the number or the label of an option.'], []])
  await talk.answer('1')
  expect(printer.take()).toEqual(['  › SQLite', '? 2 of 2', '│ Name?', '  /decline gives no answer.'])
  expect([talk.prompt, talk.takesText, talk.isArmed]).toEqual(['Answer: ', true, false])
  await talk.answer('/srv/\u202ex')
  expect(sent).toEqual([['a', 'approved', { answers: { db: 'SQLite', name: '/srv/\u202ex' } }]])
  expect(printer.take()).toEqual(['  › /srv/\\u202ex'])
  // The next question, then the approval of a call.
  expect(show(asking('b'), approval('c'))).toContain('? 1 of 2: Database')
  expect(talk.decline()).toBe(true)
  show(approval('c'))
  expect([sent.at(-1), talk.decline(), talk.prompt]).toEqual([
    ['b', 'denied', {}],
    false,
    'Approve? [y]es, [n]o, [e]dit the arguments: ',
  ])
})

test('[C410] answers that were not sent can be sent again, or are asked again', async () => {
  const { talk, show, sent, said, printer } = world(true)
  show(asking('a'))
  await talk.answer('b')
  await talk.answer('Ann')
  expect([sent.length, said]).toEqual([1, ['Away.']])
  printer.take()
  expect([show(asking('a')), talk.prompt]).toEqual([[], 'Send the same answers again? [y]es, [n]o: '])
  await talk.answer('Ann')
  await talk.answer('y')
  expect(said).toEqual(['Away.', 'Answer y or n.', 'Away.'])
  expect(sent[1]).toEqual(sent[0])
  show(asking('a'))
  await talk.answer('n')
  expect(printer.take()).toContain('? 1 of 2: Database')
  expect([talk.prompt, sent.length]).toEqual(['Number 1-2: ', 2])
})

test('[C410] the answer of somebody else, and the default of a question that expired', () => {
  const { talk, show, printer } = world()
  const expired = { ...asking('b'), expiresAt: new Date(Date.now() - 1).toISOString() }
  show(asking('a'), expired, asking('c'))
  const toolCalls = ['a', 'b', 'c'].map((id) => ({
    ...{ id, name: 'ask', status: 'running' as const },
    approval: { id, status: id === 'c' ? ('denied' as const) : ('approved' as const), answers: { db: 'b', name: id } },
  }))
  const messages = [
    { ...{ id: 'm', role: 'assistant' as const, content: '', status: 'streaming' as const }, toolCalls },
  ]
  talk.update({ status: 'running', messages, approvals: [] }, true)
  expect(printer.take()).toEqual([
    ...['✓ question answered, elsewhere', '│ db: b', '│ name: a'],
    ...['✓ question expired, and its default applies', '│ db: b', '│ name: b'],
    ...['✗ question declined, elsewhere', '│ db: b', '│ name: c'],
  ])
})

test('[C406] a question that is too large for the notice of a child is read from that child, and never asked as a call', async () => {
  const { questions, ...cut } = asking('below:a')
  const child = { id: 'below', agent: 'helper', approvalId: 'a', isCut: true } as const
  const named = { ...cut, child }
  const read = world(false, async (each) => ({ ...each, questions }))
  expect([read.show(named), read.talk.isAsking]).toEqual([[], false])
  await Promise.resolve()
  expect(read.show(named)).toContain('? 1 of 2: Database')
  const closed = world()
  closed.show(named)
  await Promise.resolve()
  expect([closed.show(named), closed.talk.isAsking]).toEqual([[], false])
  expect(closed.said).toEqual([
    'The sub-agent helper, session below, asks a question, too long to show here. Answer it with bridle answer below a NAME=ANSWER --agent helper',
  ])
})

test('[C21] [C406] a call that is too large for the notice of a child is asked with its arguments, or not at all', async () => {
  const child = { id: 'below', agent: 'helper', approvalId: 'a', isCut: true } as const
  const { arguments: args, ...cut } = { ...approval('below:a'), toolName: 'bash', child }
  const read = world(false, async ({ child: _cut, ...each }) => ({ ...each, arguments: args }))
  expect([read.show(cut), read.talk.isAsking]).toEqual([[], false])
  await Promise.resolve()
  expect(read.show(cut)).toEqual(['? bash {"p":"below:a"}'])
  const closed = world()
  closed.show(cut)
  await Promise.resolve()
  expect([closed.show(cut), closed.talk.isAsking]).toEqual([[], false])
  expect(closed.said).toEqual([
    'The sub-agent helper, session below, asks for the approval of bash, too long to show here. Answer it with bridle approve below a --agent helper',
  ])
})
