import { describe } from 'vitest'
import { voiceContract } from '../../tests/voice.suite.ts'
import { voiceWireContract } from '../../tests/voice-wire.suite.ts'
import { evict, startTestWorker } from './test-worker.suite.ts'
import { noTools } from './workerd.suite.ts'

describe.skipIf(noTools)('in the real runtime', () => {
  const start = async (env: Record<string, string>) => {
    const vars = { ...env, BRIDLE_SECRET: 'a secret of this test, which is long enough', BRIDLE_OPEN: '1' }
    const world = await startTestWorker({ vars })
    return { url: world.url, sleep: (id: string) => evict(world, id, 'voice'), stop: () => world.dispose() }
  }
  voiceContract(start)
  voiceWireContract(start)
})
