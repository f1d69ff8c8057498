// Runners that fall silent: no answer, no head, or a stream that stops.
import { getEventListeners, once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { LIVENESS_RULES, RunnerUnreachableError, runnerClient } from './runner-client.ts'
import { readRunnerFrames } from './runner-frames.ts'

const servers: Server[] = []
const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const opened = (url: string, { silenceMs = 200, signal = new AbortController().signal } = {}) =>
  runnerClient({ url }, [null], { liveness: { ...LIVENESS_RULES, deadAfterMs: silenceMs } }).stream('/query', {
    body: {},
    signal,
  })

const read = async (url: string) => {
  const stream = await opened(url, { silenceMs: 1_500 })
  if (!('bytes' in stream)) throw new Error('no stream')
  const texts: string[] = []
  const ended = (async () => {
    for await (const bytes of stream.bytes) texts.push(new TextDecoder().decode(bytes))
  })()
  return { texts, ended }
}

test('[R14] a runner that takes a request and never answers cannot be reached', async () => {
  await expect(opened(await listening(() => {}))).rejects.toBeInstanceOf(RunnerUnreachableError)
})

test('[R14] a stream that falls silent breaks; one that beats does not', async () => {
  const { texts, ended } = await read(
    await listening((_asked, answer) => {
      answer.writeHead(200)
      const beats = [500, 1_000, 1_500, 2_000].map((at) => setTimeout(() => answer.write(`${at} `), at))
      answer.once('close', () => beats.forEach(clearTimeout))
    }),
  )
  await expect(ended).rejects.toThrow()
  expect(texts.join('')).toBe('500 1000 1500 2000 ')
})

test('[R14] a runner that has sent a comment is held to comments, whatever its /health says', async () => {
  const url = await listening((_asked, answer) => void answer.writeHead(200).write(': here\n\n'))
  const liveness = { deadAfterMs: 60, probeAfterMs: 20, probeAgainMs: 10, probesMax: 3 }
  const { signal } = new AbortController()
  const stream = await runnerClient({ url }, [null], { liveness, probeBusy: async () => true }).stream('/query', {
    body: {},
    signal,
  })
  if (!('bytes' in stream)) throw new Error('no stream')
  await expect(readRunnerFrames(stream.bytes, undefined, stream.onComment).next()).rejects.toThrow()
})

test('[R14] a refusal whose text never ends is a refusal', async () => {
  const url = await listening((_asked, answer) => void answer.writeHead(409).write('{'))
  expect(await opened(url)).toEqual({ status: 409, body: {} })
})

test('[R14] a run that outlives its streams keeps nothing of them', async () => {
  const { signal } = new AbortController()
  const url = await listening((_asked, answer) => void answer.end('all'))
  for (let times = 0; times < 3; times++) {
    const stream = await opened(url, { signal })
    if ('bytes' in stream) for await (const _bytes of stream.bytes);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('[R14] a stream that ends is just over', async () => {
  const { texts, ended } = await read(await listening((_asked, answer) => void answer.end('all')))
  await ended
  expect(texts).toEqual(['all'])
})

test('[R14] who leaves is not waited for', async () => {
  const leave = new AbortController()
  const asked = opened(await listening(() => {}), { signal: leave.signal })
  leave.abort()
  await expect(asked).rejects.toBeInstanceOf(RunnerUnreachableError)
})
