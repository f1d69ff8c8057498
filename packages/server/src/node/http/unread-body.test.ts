// Requests whose answer comes before their end, from a client that keeps its connections.
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'

test('[H12] an answer to a body that is not read to its end says that the connection is closed, and the next request gets another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-unread-'))
  const server = await HarnessServer.start({ port: 0, data: folder, maxBodyBytes: 20_000, log: () => {} })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (body: string, headers: Record<string, string | number>): Promise<unknown> =>
    new Promise((resolve) => {
      const url = `${server.url}/v1/openharness`
      const sent = request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      sent.on('response', (response) => {
        const { statusCode, headers: answered } = response
        response.resume().on('end', () => resolve([statusCode, answered.connection]))
      })
      sent.end(body)
    })
  const large = JSON.stringify({ text: 'x'.repeat(5_000_000) })
  const fine = '{"protocol_version":"1.0.0","request":{"context":{"session_id":"s","user_intent":"@script []"}}}'
  try {
    const early: Record<string, string | number>[] = [
      { 'transfer-encoding': 'chunked' },
      { 'content-length': large.length },
      { 'content-type': 'text/html' },
    ]
    for (const headers of early) {
      const status = 'content-type' in headers ? 415 : 413
      expect([headers, await send(large, headers)]).toEqual([headers, [status, 'close']])
      for (let turn = 0; turn < 3; turn += 1) expect(await send(fine, {})).toEqual([200, 'keep-alive'])
    }
  } finally {
    agent.destroy()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
