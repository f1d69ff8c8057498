// Plans made from a seed, eight sessions of two agents at once, and kills at any moment.
import { afterEach, expect, test } from 'vitest'
import { variants } from '../../scripts/variants.ts'
import { playRandomKills } from './random-kills.ts'
import { DurableWorld } from './world.ts'

const FIRST_SEED = Number(process.env.BRIDLE_SEED ?? Date.now() % 2 ** 31)
/** A run that is taken up more often than five times without getting further fails, and these lives are short. */
const KILLS = 4
const seeds = variants([0], [1, 2, 3, 4, 5]).map((more) => FIRST_SEED + more)

let world: DurableWorld
afterEach(({ task }) => world.end(task.result?.state === 'fail'))

test.each(seeds)(
  '[N14] four kills at any moment change no answer, and repeat nothing that is in the log',
  async (seed) => {
    world = new DurableWorld()
    const { problems, kills } = await playRandomKills(world, seed, KILLS)
    expect(problems, `BRIDLE_SEED=${seed}, the folder is ${world.folder}`).toEqual([])
    expect(kills).toBeGreaterThan(0)
  },
)
