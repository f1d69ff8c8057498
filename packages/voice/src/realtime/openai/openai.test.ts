import { afterEach, expect, test } from 'vitest'
import { VoiceWorld } from '../../voice-world.suite.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

test.each([
  ['gpt-4o-realtime-preview', 'gpt-realtime'],
  ['gpt-4o-realtime-preview-2024-12-17', 'gpt-realtime'],
  ['gpt-realtime-mini', 'gpt-realtime-mini'],
])('[V32] a line that asks for %s has the model %s', async (model, current) => {
  const world = await VoiceWorld.start({ models: [current] })
  worlds.push(world)
  const { line } = await world.open('a', { model })
  expect(line.model).toBe(current)
  expect(world.stub.upgrades.map(({ url }) => url)).toEqual([`/v1/realtime?model=${current}`])
})
