import type { Listener } from '@bridle/kernel/session/subscribers'
import { expect, test } from 'vitest'
import { DeltaFeed } from './delta-feed.ts'

test('a feed whose session has closed starts no timer, which would keep a stopped server alive', () => {
  const listeners = new Set<Listener>()
  const subscribers = {
    add: (each: Listener) => listeners.add(each),
    remove: (each: Listener) => listeners.delete(each),
  }
  let timers = 0
  const clock = {
    now: () => 0,
    after: () => {
      timers += 1
      return () => {}
    },
  }
  const feed = new DeltaFeed({ subscribers, state: { head: 0 } } as never, clock, 0)
  const clients = ['one', 'two', 'three'].map(
    (): Listener => ({ audience: feed.audience, send: () => {}, unsent: () => 0, close: () => {} }),
  )
  for (const client of clients) feed.subscribe(client)
  for (const client of clients.slice(1)) feed.unsubscribe(client)
  expect(timers).toBe(0)
  const [own] = listeners
  own?.close('moved')
  feed.unsubscribe(clients[0]!)
  expect(timers).toBe(0)
})
