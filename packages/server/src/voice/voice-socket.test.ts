// The voice wire on Node, and the limits of its sockets.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import { afterEach, expect, test } from 'vitest'
import { HarnessServer, type ServerOptions } from '../node/index.ts'
import { callVoice, hangUpAll, voiceWireContract } from '../tests/voice-wire.suite.ts'

const start = async (env: Record<string, string>, options: ServerOptions = {}) => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-voice-wire-'))
  const server = await HarnessServer.start({
    ...{ port: 0, data, store: 'memory', tokenPaceMs: 0, log: () => {}, env },
    ...options,
  })
  const stop = async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  }
  return { url: server.url, stop }
}

voiceWireContract((env) => start(env))
afterEach(hangUpAll)

test('[V39] a key that is refused is told, and not shown', async () => {
  const stub = await startRealtimeStub({ key: 'sk-other' })
  const server = await start({ OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: stub.url })
  const line = await callVoice(`${server.url}/sessions/s/voice`)
  expect((await line.closed).code).toBe(1008)
  expect(line.messages).toMatchObject([{ type: 'error', code: 'provider_key' }])
  expect(JSON.stringify(line.messages)).not.toContain('sk-')
  await server.stop()
  await stub.close()
})

test('[V42] a frame that never ends closes its socket', async () => {
  const stub = await startRealtimeStub()
  const server = await start({ OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: stub.url }, { unfinishedMs: 50 })
  const line = await callVoice(`${server.url}/sessions/s/voice`)
  await line.until('session_open')
  // The head of a binary frame of 960 bytes, and one byte of them.
  rawSocket(line.ws).write(Buffer.from([0x82, 0xfe, 0x03, 0xc0, 0, 0, 0, 0, 1]))
  expect(await line.closed).toEqual({ code: 1008, reason: 'The message was not finished in time.' })
  await server.stop()
  await stub.close()
})

const rawSocket = (ws: unknown) => (ws as { _socket: { write(bytes: Buffer): void } })._socket
