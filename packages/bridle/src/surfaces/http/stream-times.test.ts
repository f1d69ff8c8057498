import { expect, test } from 'vitest'
import { world } from './world.suite.ts'

const say = (text: string) => `@script ${JSON.stringify([{ text }])}`

test.each([
  ['of agents', '/agents/scripted/s/stream'],
  ['of envelopes', '/sessions/s/events/stream'],
  ['of health', '/sessions/s/health/stream'],
])('[CF4] a stream %s that may not live for ever ends by itself, and its last id goes on', async (_name, path) => {
  const { get, post } = world({ streamMs: 30, heartbeatMs: 0 })
  await post('/agents/scripted/s', { prompt: say('one') })
  // Read to its end: the server ends it.
  const first = String((await get(path)).body.text)
  const ids = [...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(ids.length).toBeGreaterThan(0)
  // No beat without a pause: that would be a flood.
  expect(first.match(/^:/gm)?.length ?? 0).toBeLessThan(5)
  await post('/agents/scripted/s', { prompt: say('two') })
  const rest = String((await get(path, { 'last-event-id': String(ids.at(-1)) })).body.text)
  const later = [...rest.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(later.every((id) => id > (ids.at(-1) ?? 0))).toBe(true)
})
