// Plans made from a seed, six sessions of two agents at once, and kills at any moment.
import { afterEach, expect, test } from 'vitest'
import { playRandomKills } from './random-kills.ts'
import { DurableWorld } from './world.ts'

let world: DurableWorld
afterEach(({ task }) => world.end(task.result?.state === 'fail'))

test('[N14] ten kills at any moment change no answer, and repeat nothing that is in the log', async () => {
  const seed = Number(process.env.BRIDLE_SEED ?? Date.now() % 2 ** 31)
  world = new DurableWorld()
  const { problems, kills } = await playRandomKills(world, seed, Number(process.env.BRIDLE_KILLS ?? 10))
  expect(problems, `BRIDLE_SEED=${seed}, the folder is ${world.folder}`).toEqual([])
  expect(kills).toBeGreaterThan(0)
})
