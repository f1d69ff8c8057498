// Detects proxies in front of a server without a token. To the server, a proxy without extra headers looks like a local
// program. From the network the difference shows: only a proxy responds there.
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { networkInterfaces } from 'node:os'

/** A local address responds within milliseconds or not at all. */
const PROXY_SEARCH_MS = 1_000
/** A server with hundreds of agents. */
const PROXY_ANSWER_BYTES_MAX = 1024 * 1024

const PORTS = [80, 443, 3000, 5173, 8000, 8080, 8443, 8888]
const TLS_PORTS = new Set([443, 8443])

export const proxyAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
    .flatMap((host) => PORTS.map((port) => `${TLS_PORTS.has(port) ? 'https' : 'http'}://${host}:${port}`))

/** Keeps addresses where Bridle reveals its agents without a token. */
export const openAddresses = async (addresses: readonly string[]): Promise<readonly string[]> => {
  const answers = await Promise.all(
    addresses.map(async (address) => ((await answersStrangers(address)) ? [address] : [])),
  )
  return answers.flat()
}

const answersStrangers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const ask = address.startsWith('https:') ? requestHttps : requestHttp
    // Only the path is sent, so the certificate does not matter.
    const call = ask(`${address}/ready`, { rejectUnauthorized: false, timeout: PROXY_SEARCH_MS, agent: false })
    call.once('timeout', () => call.destroy())
    call.once('error', () => resolve(false))
    call.once('close', () => resolve(false))
    call.once('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.length > PROXY_ANSWER_BYTES_MAX) call.destroy()
      })
      answer.once('end', () => resolve(tellsOfAgents(text)))
    })
    call.end()
  })

const tellsOfAgents = (text: string): boolean => {
  try {
    const { ready, agents } = (JSON.parse(text) ?? {}) as { ready?: unknown; agents?: unknown }
    return typeof ready === 'boolean' && Array.isArray(agents)
  } catch {
    return false
  }
}
