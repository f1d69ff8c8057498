// Compression as clients see it: a real server, and requests whose answers are not unpacked automatically.
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'

let folder: string
let server: HarnessServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-packed-'))
  server = await HarnessServer.start({ port: 0, data: folder, log: () => {}, env: {} })
  const content = JSON.stringify({ a: 'x'.repeat(5_000) })
  for (const id of ['a', 'b', 'c'])
    await post(
      `${server.url}/agents/scripted/${id}`,
      scriptBody({ artifact: { name: 'a.json', content } }, { text: 'y'.repeat(5_000) }),
    )
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** `enough` ends an answer that has no end. */
const raw = (path: string, headers: Record<string, string>, enough = Number.POSITIVE_INFINITY): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      const done = () => {
        asked.destroy()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) })
      }
      response.on('data', (part: Buffer) => {
        parts.push(part)
        if (Buffer.concat(parts).length >= enough) done()
      })
      response.on('end', done)
    })
    asked.on('error', reject)
    asked.end()
  })

const unpacked = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes }

test.each([
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['*', 'br'],
  ['GZIP', 'gzip'],
  ['identity', 'none'],
  ['deflate', 'none'],
  ['gzip;q=0, *;q=0', 'none'],
] as const)('[H47] Accept-Encoding: %s is answered with %s', async (accepted, encoding) => {
  for (const path of ['/sessions/a', '/agents/scripted/b', '/openapi.json', '/docs']) {
    const plain = await raw(path, {})
    const packed = await raw(path, { 'accept-encoding': accepted })
    expect([path, packed.status, packed.headers['content-encoding'] ?? 'none']).toEqual([path, 200, encoding])
    expect(packed.headers.vary).toMatch(/Accept-Encoding/)
    expect(unpacked[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.headers.etag).toBe(plain.headers.etag)
    expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
  }
})

test('[H47] small answers, artifacts, ranges and event streams go as they are', async () => {
  const headers = { 'accept-encoding': 'gzip, br' }
  for (const path of ['/health', '/sessions/a/health?x=1', '/sessions/nope', '/sessions/c/artifacts/a.json']) {
    const answer = await raw(path, headers)
    const isLong = answer.bytes.length > 1_024 && !path.includes('artifacts')
    expect([path, answer.headers['content-encoding'] !== undefined]).toEqual([path, isLong])
  }
  const part = await raw('/sessions/c/artifacts/a.json', { ...headers, range: 'bytes=0-2999' })
  expect([part.status, part.headers['content-encoding'], part.bytes.length]).toEqual([206, undefined, 3_000])
  const stream = await raw('/sessions/b/events', headers, 5_000)
  expect([stream.headers['content-encoding'], stream.bytes.toString().startsWith(': open')]).toEqual([undefined, true])
  const known = await raw('/sessions/a', headers)
  const again = await raw('/sessions/a', { ...headers, 'if-none-match': String(known.headers.etag) })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
})
