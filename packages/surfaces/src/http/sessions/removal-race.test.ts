// Commands that meet the removal of their session, at every point of their way.
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'

const say = (text: string) => ({ prompt: `@script ${JSON.stringify([{ text }])}` })

/** Lets pending work advance by `count` steps. */
const steps = async (count: number): Promise<void> => {
  for (let step = 0; step < count; step++) await null
}

const invoke = '/agents/scripted/x'
const chat = '/chat/sessions/x/turns'

test('[H22] a POST that meets a DELETE is answered, or 404: never 503, and never left waiting', async () => {
  const seen = new Set<string>()
  for (let delay = 0; delay < 120; delay += 3) {
    const { ask, post, get } = testApp()
    await post(invoke, say('first'))
    const commands = [
      post(invoke, say('a')),
      post(chat, say('b')),
      post(invoke, say('c'), { 'idempotency-key': 'k' }),
      post('/chat/sessions/x/branch', { from_event_id: 'ev-2' }),
      post('/chat/sessions/x/branch', { from_event_id: 'ev-2' }, { 'idempotency-key': 'k2' }),
    ]
    await steps(delay)
    const removal = ask('DELETE', invoke)
    await steps(delay % 7)
    const late = [post('/sessions/x/cancel', {}), post(invoke, say('d'))]
    const statuses = (await Promise.all([...commands, removal, ...late])).map(({ status }) => status)
    // 409 is the run that the cancel found.
    const run = [200, 404, 409]
    // 400: the session was created again and does not have the event to branch from.
    const branch = [201, 404, 400]
    const allowed = [run, [202, 404], run, branch, branch, [200], [200, 404], run]
    const wrong = statuses.filter((status, index) => !allowed[index]!.includes(status))
    expect({ delay, wrong }).toEqual({ delay, wrong: [] })
    // A turn of a chat that was removed does not bring the chat back.
    if (statuses.every((status, index) => index === 5 || status === 404)) expect((await get(invoke)).status).toBe(404)
    seen.add(statuses.join())
  }
  expect(seen.size).toBeGreaterThan(2)
})
