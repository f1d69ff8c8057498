// The cost of keeping the key outside: a request through the relay in the sandbox and the credential proxy on the host, beside
// the same request straight to the provider.
import { startCredentialProxy } from '@bridle/runners/credentials/proxy'
import { createRelay } from '@bridle/runners/server/relay'

const REQUESTS = 30

export interface HopTimings {
  /** Median milliseconds to the first byte of the answer. */
  through(): Promise<number>
  direct(): Promise<number>
  close(): Promise<void>
}

export const startHopTimings = async (provider: string): Promise<HopTimings> => {
  const proxy = await startCredentialProxy({
    secret: 'bench',
    keys: { anthropic: () => 'k' },
    upstreams: { anthropic: provider },
  })
  const key = { tenant: 'default', agent: 'claude', id: 'bench' }
  const { token, baseUrl } = proxy.grant({ key, runId: 'r-1', attempt: 1, provider: 'anthropic' })
  const run = {}
  const relay = createRelay({
    vars: () => ({ ANTHROPIC_API_KEY: token, ANTHROPIC_BASE_URL: baseUrl }),
    activeRun: () => run,
    onStatus: () => {},
  })
  const port = await relay.listen()
  // As large as an engine's: its instructions and its tools.
  const body = JSON.stringify({
    model: 'm',
    stream: true,
    system: 'x'.repeat(100_000),
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const ask = async (url: string): Promise<number> => {
    const times: number[] = []
    for (let count = 0; count < REQUESTS; count++) {
      const began = performance.now()
      const response = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      times.push(performance.now() - began)
      if (!(await response.text()).includes('message_stop')) throw new Error(`The answer was ${response.status}.`)
    }
    return times.toSorted((a, b) => a - b)[REQUESTS / 2] ?? 0
  }
  return {
    through: () => ask(relay.baseUrl('anthropic', port)),
    direct: () => ask(provider),
    close: async () => {
      await relay.close()
      await proxy.close()
    },
  }
}
