import { describe } from 'vitest'
import { gateEnv, productionGateContract } from '../../tests/production-gate.suite.ts'
import { startTestWorker } from './test-worker.suite.ts'
import { noTools } from './workerd.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  productionGateContract(async () => {
    const world = await startTestWorker({ vars: gateEnv })
    return { url: world.url, stop: () => world.dispose() }
  })
})
