// When subscribers are notified, and that their snapshot does not change in between.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { delta, openClient, state, textsOf } from './fake-server.suite.ts'

const add = (seq: number) =>
  delta(seq, seq + 1, { type: 'append-text', path: ['messages', '0', 'content'], value: '.' })

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const withFrames = () => {
  const frames = new Map<number, () => void>()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => {
    last += 1
    frames.set(last, call)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id))
  return () => {
    const due = [...frames.values()]
    frames.clear()
    for (const call of due) call()
  }
}

describe('frame', () => {
  test('one call per frame, and the snapshot changes only then', async () => {
    const frame = withFrames()
    const { client, line } = await openClient({ schedule: 'frame', first: state(0, 'a') })
    let calls = 0
    client.subscribe(() => calls++)
    const empty = client.getSnapshot()
    frame()
    expect(client.getSnapshot()).not.toBe(empty)
    expect(calls).toBe(1)
    const shown = client.getSnapshot()
    for (let seq = 0; seq < 100; seq++) line.tell(add(seq))
    expect(client.getSnapshot()).toBe(shown)
    expect(calls).toBe(1)
    frame()
    expect(textsOf(client)).toEqual([`a${'.'.repeat(100)}`])
    frame()
    frame()
    expect(calls).toBe(2)
    client.close()
  })

  test('where no frames come, every 250 ms', async () => {
    withFrames()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { client, line } = await openClient({ schedule: 'frame', first: state(0, 'a') })
    let calls = 0
    client.subscribe(() => calls++)
    await vi.advanceTimersByTimeAsync(249)
    expect([calls, textsOf(client)]).toEqual([0, []])
    await vi.advanceTimersByTimeAsync(1)
    expect([calls, textsOf(client)]).toEqual([1, ['a']])
    line.tell(add(0), add(1))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([calls, textsOf(client)]).toEqual([2, ['a..']])
    client.close()
  })

  test('where there are none at all, as in Node, once per turn', async () => {
    const { client, line } = await openClient({ schedule: 'frame', first: state(0, 'a') })
    await null
    let calls = 0
    client.subscribe(() => calls++)
    line.tell(add(0), add(1))
    expect(calls).toBe(0)
    await null
    expect([calls, textsOf(client)]).toEqual([1, ['a..']])
    client.close()
  })

  test('closing tells what waits, and nothing later', async () => {
    const frame = withFrames()
    const { client } = await openClient({ schedule: 'frame', first: state(0, 'a') })
    let calls = 0
    client.subscribe(() => calls++)
    client.close()
    expect([calls, textsOf(client), client.connection.phase]).toEqual([1, ['a'], 'closed'])
    frame()
    expect(calls).toBe(1)
  })
})

test('sync: a call for each change, none for none', async () => {
  const { client, line } = await openClient({ first: state(0, 'a') })
  let calls = 0
  const leave = client.subscribe(() => calls++)
  line.tell(add(0), add(1), delta(2, 3), { type: 'pong', ts: 1 }, { type: 'error', message: 'No.' })
  expect(calls).toBe(2)
  const { connection } = client
  line.tell(add(3))
  expect(client.connection).toBe(connection)
  expect(connection.lastSeq).toBe(4)
  leave()
  leave()
  line.tell(add(4))
  expect(calls).toBe(3)
  client.close()
})

test('subscribers hear of the connection and of held prompts too', async () => {
  const { client, line } = await openClient()
  const told: unknown[] = []
  client.subscribe(() => told.push([client.connection.phase, client.held.length]))
  line.cut()
  client.submit('Hi')
  expect(told).toEqual([
    ['reconnecting', 0],
    ['reconnecting', 1],
  ])
  client.close()
})

test('a listener that throws is nobody else’s trouble', async () => {
  const thrown: unknown[] = []
  const before = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => thrown.push(error.message))
  const { client, line } = await openClient({ first: state(0, 'a') })
  let calls = 0
  const leave = client.subscribe(() => {
    throw new Error('mine')
  })
  client.subscribe(() => calls++)
  line.tell(add(0))
  await new Promise((resolve) => setImmediate(resolve))
  process.removeAllListeners('uncaughtException')
  for (const listener of before) process.on('uncaughtException', listener)
  expect([calls, textsOf(client), client.connection.phase]).toEqual([1, ['a.'], 'open'])
  expect(thrown).toEqual(['mine'])
  leave()
  client.close()
})

test('one function may listen twice and leave once', async () => {
  const { client, line } = await openClient({ first: state(0, 'a') })
  let calls = 0
  const listener = () => calls++
  const leave = client.subscribe(listener)
  client.subscribe(listener)
  leave()
  line.tell(add(0))
  expect(calls).toBe(1)
  client.close()
})
