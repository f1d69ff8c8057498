// The cascade on Node.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'
import { cascadeContract, type StartCascadeServer } from '../tests/cascade.suite.ts'

const start: StartCascadeServer = async (env) => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-voice-'))
  const remove = () => rmSync(data, { recursive: true, force: true })
  try {
    const server = await HarnessServer.start({ port: 0, data, store: 'memory', env, log: () => {}, tokenPaceMs: 0 })
    return { url: server.url, stop: () => server.close().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

cascadeContract(start)

test('[V60] a server with half of a cascade does not start, and says what is missing', async () => {
  await expect(start({ BRIDLE_STT_URL: 'http://127.0.0.1:9/v1' })).rejects.toMatchObject({
    code: 'voice_invalid',
    message: 'BRIDLE_STT_URL names a service that hears, and none speaks: set BRIDLE_TTS_URL as well.',
  })
  await expect(start({ BRIDLE_TTS_URL: 'http://127.0.0.1:9/v1' })).rejects.toMatchObject({
    code: 'voice_invalid',
    message: 'BRIDLE_TTS_URL names a service that speaks, and none hears: set BRIDLE_STT_URL as well.',
  })
})
