// The cascade on Workers, with a bucket for the audio that sessions keep.
import { describe } from 'vitest'
import { cascadeContract } from '../../tests/cascade.suite.ts'
import { startTestWorker } from './test-worker.suite.ts'
import { noTools } from './workerd.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  cascadeContract(async (env) => {
    const vars = { ...env, BRIDLE_SECRET: 'a secret of this test, which is long enough', BRIDLE_OPEN: '1' }
    const world = await startTestWorker({ vars, hasBucket: true })
    return { url: world.url, stop: () => world.dispose() }
  })
})
