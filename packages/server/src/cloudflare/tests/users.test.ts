import { describe } from 'vitest'
import { usersContract, userTokens } from '../../tests/users.suite.ts'
import { startTestWorker } from './test-worker.suite.ts'
import { noTools } from './workerd.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  usersContract(async () => {
    const vars = {
      TEST_OPTIONS: JSON.stringify({ tokens: userTokens }),
      BRIDLE_SECRET: 'a secret of this test, which is long enough',
    }
    const world = await startTestWorker({ vars })
    return { url: world.url, stop: () => world.dispose() }
  })
})
