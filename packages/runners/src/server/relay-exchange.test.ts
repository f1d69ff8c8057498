// A server that is away: requests of engines wait for its next process.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createRelay, type EnvVars, type Relay } from './relay.ts'
import type { UnreachableVerdict } from './relay-exchange.ts'

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

const BODY = '{"model":"claude-haiku-4-5","max_tokens":100}'
const ask = (url: string, signal?: AbortSignal) =>
  fetch(`${url}/v1/messages`, { method: 'POST', body: BODY, ...(signal && { signal }) })

/** A proxy of a server, which notes the keys that it is asked with. */
const proxy = async (answer = 'answer') => {
  const keys: unknown[] = []
  const server: Server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    request.resume().on('end', () => response.end(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  opened.push({ close })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, close }
}

const relayBefore = async (
  vars: () => EnvVars,
  onUnreachable: (sinceMs: number) => UnreachableVerdict,
  activeRun: () => object | null = () => opened,
) => {
  const relay: Relay = createRelay({
    vars,
    activeRun,
    onStatus: () => {},
    onUnreachable: (_provider, sinceMs) => onUnreachable(sinceMs),
  })
  opened.push(relay)
  return relay.baseUrl('anthropic', await relay.listen())
}

test('[R27] requests wait while the server is away, and go to its next process with the new key', async () => {
  const first = await proxy()
  await first.close()
  let vars: EnvVars = { ANTHROPIC_API_KEY: 'old', ANTHROPIC_BASE_URL: first.url }
  let tries = 0
  const next = await proxy('from the next process')
  const url = await relayBefore(
    () => vars,
    () => {
      // Each of four requests has been refused twice.
      if (++tries === 8) vars = { ANTHROPIC_API_KEY: 'new', ANTHROPIC_BASE_URL: next.url }
      return 'wait'
    },
  )
  const answers = await Promise.all(Array.from({ length: 4 }, async () => (await ask(url)).text()))
  expect(answers).toEqual(Array(4).fill('from the next process'))
  expect(next.keys).toEqual(Array(4).fill('new'))
})

test('[R27] a request stops waiting when its engine leaves, and one of a run that ended is not sent with another key', async () => {
  const next = await proxy()
  let vars: EnvVars = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }
  let run: object = { name: 'first' }
  let tries = 0
  let isRefusedTwice = () => {}
  const refusedTwice = new Promise<void>((resolve) => (isRefusedTwice = resolve))
  const url = await relayBefore(
    () => vars,
    () => {
      if (++tries === 2) isRefusedTwice()
      return 'wait'
    },
    () => run,
  )
  const leave = new AbortController()
  const left = ask(url, leave.signal).catch(() => 'left')
  const kept = ask(url)
  await refusedTwice
  leave.abort()
  run = { name: 'second' }
  vars = { ...vars, ANTHROPIC_BASE_URL: next.url }
  expect([await left, (await kept).status]).toEqual(['left', 403])
  expect(next.keys).toEqual([])
})

test.each<[UnreachableVerdict, RegExp]>([
  ['provider_away', /^The provider cannot be reached\.$/],
  ['server_away', /^The server that lends the key of this run cannot be reached\. It has been away for 0 seconds\.$/],
])('[R27] the refusal says who is away: %s', async (verdict, words) => {
  const vars = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }
  const response = await ask(
    await relayBefore(
      () => vars,
      () => verdict,
    ),
  )
  const { error } = (await response.json()) as { error: { message: string } }
  expect([response.status, error.message]).toEqual([502, expect.stringMatching(words)])
})
