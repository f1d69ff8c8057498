import { expect, test } from 'vitest'
import { EventQueues, VOICE_EVENTS_MAX } from './event-queues.ts'

test('[V80] a reader that falls too far behind gets what waited and then an error; others are unharmed', async () => {
  const queues = new EventQueues<number>()
  const slow = queues.read()
  const quick = queues.read()
  for (let at = 0; at <= VOICE_EVENTS_MAX; at += 1) {
    queues.push(at)
    await quick.next()
  }
  let read = 0
  const readAll = async () => {
    for await (const _event of slow) read += 1
  }
  await expect(readAll()).rejects.toMatchObject({ type: 'slow_reader' })
  expect(read).toBe(VOICE_EVENTS_MAX)
  queues.close()
  expect(await quick.next()).toEqual({ done: true, value: undefined })
})
