import { expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'

const say = (text: string) => `@script ${JSON.stringify([{ text }])}`

test.each([
  ['of agents', '/agents/scripted/s/stream'],
  ['of envelopes', '/sessions/s/events/stream'],
  ['of health', '/sessions/s/health/stream'],
])('[CF4] a stream %s ends when its time is over, and a reader resumes by its last id', async (_name, path) => {
  const { get, post } = testApp({ streamMs: 30, heartbeatMs: 0 })
  await post('/agents/scripted/s', { prompt: say('one') })
  // The test reads to the end: the server ends the stream.
  const first = String((await get(path)).body.text)
  const ids = [...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(ids.length).toBeGreaterThan(0)
  // A heartbeat of 0 ms must not become a flood.
  expect(first.match(/^:/gm)?.length ?? 0).toBeLessThan(5)
  await post('/agents/scripted/s', { prompt: say('two') })
  const rest = String((await get(path, { 'last-event-id': String(ids.at(-1)) })).body.text)
  const later = [...rest.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(later.every((id) => id > (ids.at(-1) ?? 0))).toBe(true)
})

test('[CF4] [H10] a reader that takes nothing is cut, for its unread bytes or when its time is over; no timer is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  try {
    const { app, post } = testApp({ streamMs: 60_000 })
    const stalled = async () => {
      const { body } = await app.fetch(new Request('http://127.0.0.1/agents/scripted/s/stream?replay=none'))
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      return reader
    }
    await post('/agents/scripted/s', { prompt: say('one') })
    const idle = vi.getTimerCount()
    const late = await stalled()
    await post('/agents/scripted/s', { prompt: say('x'.repeat(100_000)) })
    expect(vi.getTimerCount()).toBe(idle + 2)
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(late.read()).rejects.toThrow('Too far behind.')
    const far = await stalled()
    for (let turn = 0; turn < 8; turn++) await post('/agents/scripted/s', { prompt: say('x'.repeat(200_000)) })
    await expect(far.read()).rejects.toThrow('Too far behind.')
    // The last run may still have a timer of its own.
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(idle))
  } finally {
    vi.useRealTimers()
  }
})
