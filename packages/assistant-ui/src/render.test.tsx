// @vitest-environment jsdom
// assistant-ui itself, rendered from a client's state: what a user would read, and what the buttons ask of the client.

import type { HarnessMessage, HarnessState } from '@bridle/client/harness/state'
import { useHarness } from '@bridle/react/use-harness'
import { expect, test, vi } from 'vitest'
import { fakeClient, mount, mounted } from './render.suite.tsx'
import { lastOf } from './use-harness-runtime.ts'

test('shows text, thoughts and a running tool, and grows with the state', async () => {
  const { client, text } = await mounted(running)
  expect(text()).toEqual([
    'user: Tidy up',
    'assistant: [thought Let me look.] Reading. <read_file {"path":"a.txt"} running>',
  ])
  const [question, answer] = running.messages as [HarnessMessage, HarnessMessage]
  await client.show({
    ...running,
    status: 'idle',
    messages: [
      question,
      {
        ...answer,
        status: 'complete',
        content: 'Reading. Done.',
        toolCalls: [{ ...answer.toolCalls![0]!, status: 'complete', result: { lines: 3 } }],
        parts: [...answer.parts!, { type: 'text', from: 9 }],
      },
    ],
  })
  expect(text().at(-1)).toBe(
    'assistant: [thought Let me look.] Reading. <read_file {"path":"a.txt"} {"lines":3}> Done.',
  )
})

test('an open approval is a card, and its buttons ask the client', async () => {
  const { client, text, press } = await mounted(waiting)
  expect(text().at(-1)).toBe('assistant: <write_file {"path":"a.txt"} requires-action It writes. Approve Deny>')
  await press('Approve')
  expect(client.approve).toHaveBeenCalledWith('apr-1', 'approved', {})
  await press('Deny')
  expect(client.approve).toHaveBeenLastCalledWith('apr-1', 'denied', { reason: 'No.' })
})

test('a question is a call that requires action, and its result answers it', async () => {
  const onError = vi.fn()
  const { client, text, press } = await mounted(asking, { onError })
  expect(text().at(-1)).toBe(
    `assistant: <ask ${JSON.stringify({ questions: [db], default: { db: 'SQLite' } })} requires-action Answer Decline>`,
  )
  await press('Answer')
  expect(client.answer.mock.calls).toEqual([['apr-2', { answers: { db: 'SQLite' } }]])
  client.approve.mockRejectedValueOnce({ code: 'approval_settled' })
  await press('Decline')
  expect(client.approve.mock.calls).toEqual([['apr-2', 'denied']])
  expect(onError.mock.calls).toEqual([[{ code: 'approval_settled' }]])
  await client.show({ ...asking, messages: [asking.messages[0]!] })
  // No call on the page shows it now, so it is a call of its own.
  expect(text().at(-1)).toMatch(/^assistant: <ask \{"questions".* requires-action Answer Decline>$/)
  await press('Answer')
  expect(client.answer.mock.calls).toHaveLength(2)
  expect(client.answer).toHaveBeenLastCalledWith('apr-2', { answers: { db: 'SQLite' } })
})

test('a form has its schema, and an answered question is like any other call', async () => {
  const schema = { type: 'object', properties: { port: { type: 'integer' } } }
  const approval = { ...asking.approvals![0]!, questions: undefined, default: undefined, schema }
  const { client, text } = await mounted({ ...asking, approvals: [approval] } as HarnessState)
  expect(text().at(-1)).toBe(`assistant: <ask {"schema":${JSON.stringify(schema)}} requires-action Answer Decline>`)
  const answered = { id: 'apr-2', status: 'approved', answers: { db: 'SQLite' } } as const
  const answer = { ...asking.messages[1]!, status: 'complete' } as HarnessMessage
  const call = { ...answer.toolCalls![0]!, status: 'complete', result: 'SQLite', approval: answered } as const
  await client.show({
    ...{ status: 'idle', approvals: [] },
    messages: [asking.messages[0]!, { ...answer, toolCalls: [call] }],
  })
  expect(text().at(-1)).toBe('assistant: <ask {"as":"asked"} "SQLite">')
})

test('a cancelled answer says so, and so does the stop button', async () => {
  const { client, text, press } = await mounted(running)
  await press('Stop')
  expect(client.cancel).toHaveBeenCalled()
  const [question, answer] = running.messages as [HarnessMessage, HarnessMessage]
  await client.show({
    ...running,
    status: 'idle',
    messages: [question, { ...answer, status: 'complete', stopReason: 'cancelled' }],
  })
  expect(text().at(-1)).toBe(
    'assistant: [thought Let me look.] Reading. <read_file {"path":"a.txt"} incomplete> (incomplete cancelled)',
  )
  expect(document.querySelector('[data-name=Stop]')).toBeNull()
})

test('the composer submits, also while a run is in progress; held prompts wait in it', async () => {
  const { client, type, press, root } = await mounted(running)
  await type('Next')
  expect(client.submit).toHaveBeenCalledWith('Next')
  await client.hold([{ id: 'h1', prompt: 'Held', since: 0, sent: false }])
  expect(root.querySelector('[data-held]')?.textContent).toBe('Held')
  await press('Discard')
  expect(client.discard).toHaveBeenCalledWith('h1')
})

test('steers on request', async () => {
  const { client, type } = await mounted(running, { whileRunning: 'steer' })
  await type('Rather b.txt')
  expect(client.steer).toHaveBeenCalledWith('Rather b.txt')
})

test('a refusal is told, a prompt taken back is not', async () => {
  const onError = vi.fn()
  const { client, press } = await mounted(waiting, { onError })
  client.approve.mockRejectedValueOnce({ code: 'approval_settled' })
  await press('Approve')
  client.approve.mockRejectedValueOnce({ code: 'removed' })
  await press('Approve')
  expect(onError.mock.calls).toEqual([[{ code: 'approval_settled' }]])
})

test('the actions of useHarness stay the same; the state is that of the client', async () => {
  const client = fakeClient(running)
  const seen: ReturnType<typeof useHarness>[] = []
  await mount(() => {
    seen.push(useHarness(client))
    return null
  })
  await client.show(waiting)
  const [first, last] = [seen[0]!, seen.at(-1)!]
  expect([first.state, last.state]).toEqual([running, waiting])
  expect(last.submit).toBe(first.submit)
})

test('the questions of useHarness are the open ones, and the same as long as they are', async () => {
  const client = fakeClient(running)
  const seen: ReturnType<typeof useHarness>[] = []
  await mount(() => {
    seen.push(useHarness(client))
    return null
  })
  await client.show(asking)
  await client.show({ ...asking, messages: [...asking.messages] })
  const [first, second, last] = [seen[0]!, seen.at(-2)!, seen.at(-1)!]
  expect([first.questions, second.questions]).toEqual([[], asking.approvals])
  expect(last.state).not.toBe(second.state)
  expect(last.questions).toBe(second.questions)
  await last.answer('apr-2', { answers: { db: 'SQLite' } })
  expect(client.answer).toHaveBeenCalledWith('apr-2', { answers: { db: 'SQLite' } })
})

test.each([
  [10, undefined, 0],
  [10, 10, 0],
  [13, 10, 0],
  [15, 10, 5],
  [100, 10, 90],
])('of %i messages the last %s begin at %i', (length, last, start) => {
  expect(lastOf([...Array(length).keys()], last)[0]).toBe(start)
  // Prompts that wait come besides.
  expect(lastOf([...Array(length + 30).keys()], last, 30)[0]).toBe(start)
})

const running: HarnessState = {
  status: 'running',
  approvals: [],
  messages: [
    { id: 'm-1', role: 'user', content: 'Tidy up', status: 'complete' },
    {
      id: 'm-2',
      role: 'assistant',
      content: 'Reading. ',
      status: 'streaming',
      toolCalls: [{ id: 'c1', name: 'read_file', status: 'running', arguments: { path: 'a.txt' } }],
      parts: [
        { type: 'reasoning', text: 'Let me look.' },
        { type: 'text', from: 0 },
        { type: 'tool', toolCallId: 'c1' },
      ],
    },
  ],
}
const waiting: HarnessState = {
  ...running,
  approvals: [{ id: 'apr-1', kind: 'tool', toolCallId: 'c1', toolName: 'write_file', reason: 'It writes.' }],
  messages: [
    running.messages[0]!,
    {
      id: 'm-2',
      role: 'assistant',
      content: '',
      status: 'streaming',
      toolCalls: [
        {
          id: 'c1',
          name: 'write_file',
          status: 'running',
          arguments: { path: 'a.txt' },
          approval: { id: 'apr-1', status: 'pending' },
        },
      ],
      parts: [{ type: 'tool', toolCallId: 'c1' }],
    },
  ],
}
const db = { id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }
const asking: HarnessState = {
  ...running,
  approvals: [
    {
      ...{ id: 'apr-2', kind: 'question', toolCallId: 'c2', toolName: 'ask', reason: 'Which database?' },
      ...{ questions: [db], default: { db: 'SQLite' } },
    },
  ],
  messages: [
    running.messages[0]!,
    {
      ...{ id: 'm-2', role: 'assistant', content: '', status: 'streaming' },
      toolCalls: [
        {
          ...{ id: 'c2', name: 'ask', status: 'running', arguments: { as: 'asked' } },
          approval: { id: 'apr-2', status: 'pending' },
        },
      ],
      parts: [{ type: 'tool', toolCallId: 'c2' }],
    },
  ],
}
