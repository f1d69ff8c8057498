import { describe } from 'vitest'
import { gateEnv, gateWalk } from '../gate.suite.ts'
import { noTools } from './workerd.suite.ts'
import { startWorld } from './world.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  gateWalk(async () => {
    const world = await startWorld({ vars: gateEnv })
    return { url: world.url, stop: () => world.dispose() }
  })
})
