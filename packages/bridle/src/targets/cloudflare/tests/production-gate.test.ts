import { describe } from 'vitest'
import { gateEnv, gateWalk } from '../../tests/production-gate.suite.ts'
import { startWorld } from './test-worker.suite.ts'
import { noTools } from './workerd.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  gateWalk(async () => {
    const world = await startWorld({ vars: gateEnv })
    return { url: world.url, stop: () => world.dispose() }
  })
})
