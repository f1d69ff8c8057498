// Requests that come at once: one of them counts, and all get an answer that agrees with it.
import { expect, test } from 'vitest'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const twenty = <T>(make: (index: number) => T): Promise<Awaited<T>[]> =>
  Promise.all(Array.from({ length: 20 }, (_, index) => make(index)))
const tally = (replies: readonly EngineReply[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(replies, (reply) => summaryOf(reply).join(' '))).map(([name, group]) => [
      name,
      group?.length ?? 0,
    ]),
  )

test('[OH12] the same request twenty times at once is one run, with and without a session', async () => {
  const { send, get } = testEngine()
  for (const context of [{ session_id: 's' }, {}]) {
    const replies = await twenty(() =>
      send(messageOf({ ...context, user_intent: script({ text: 'Once.', chunks: 3 }) }, { request_id: 'one' })),
    )
    expect(tally(replies)).toEqual({ '200 Once.': 20 })
    const ids = new Set(replies.map(({ headers }) => headers.get('x-bridle-session')))
    expect(ids.size).toBe(1)
    expect((await get(`/sessions/${[...ids][0]}`)).body.messages).toHaveLength(2)
  }
})

test('[OH12] of two requests with one id, ten times each at once, one is taken', async () => {
  const { send, get } = testEngine()
  const replies = await twenty((index) =>
    send(messageOf({ session_id: 's', user_intent: script({ text: `Text ${index % 2}.` }) }, { request_id: 'one' })),
  )
  expect(Object.values(tally(replies))).toEqual([10, 10])
  expect(tally(replies)).toMatchObject({ '409 request_id_conflict': 10 })
  expect((await get('/sessions/s')).body.messages).toHaveLength(2)
})

test('[OH21] approve and deny at once: one of them is the answer', async () => {
  const { send } = testEngine()
  for (const session_id of ['a', 'b', 'c']) {
    const asked = await send(
      messageOf({ session_id, user_intent: script({ approve: 'write', args: {} }, { text: 'After.' }) }),
    )
    const payload = asked.body.response.action_directives?.[0]?.payload as unknown as {
      options: { continuation_token: string }[]
    }
    const tokens = payload.options.map(({ continuation_token }) => continuation_token)
    const replies = await twenty((index) =>
      send(
        messageOf(
          { session_id, continuation: { continuation_token: tokens[index % 2] } },
          { request_id: `r${index % 2}` },
        ),
      ),
    )
    expect(tally(replies)).toEqual({ '200 After.': 10, '409 continuation_used': 10 })
  }
})

test('[OH22] conversations that are born at once have one session each, fresh or branched', async () => {
  const { send, get } = testEngine()
  const born = async (session_id: string) => {
    const replies = await twenty((index) =>
      send(
        messageOf(
          { session_id, conversation_id: `c${index % 4}`, user_intent: script({ text: 'Here.' }) },
          { request_id: `r${index}` },
        ),
      ),
    )
    expect(tally(replies)).toEqual({ '200 Here.': 20 })
    const counts: number[] = []
    for (const conversation of ['c0', 'c1', 'c2', 'c3'])
      counts.push(((await get(`/sessions/${session_id}:${conversation}`)).body.messages as unknown[]).length)
    return counts
  }
  expect(await born('fresh')).toEqual([10, 10, 10, 10])
  await send(messageOf({ session_id: 'line', user_intent: script({ text: 'Before.' }) }))
  expect(await born('line')).toEqual([12, 12, 12, 12])
})
