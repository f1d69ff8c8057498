// A runner that an operator started, shared by all sessions, one run at a time. The server never starts or stops it.

import type { RunnerHealth } from '../protocol/protocol.ts'
import type { RunnerFetch, Sandbox, SandboxProvider } from '../remote/provider.ts'
import { NoFreeSandboxError } from '../remote/sandbox-queue.ts'
import { askHealth, HEALTH_MS, putEnv } from './runner-calls.ts'

export interface UrlSandboxOptions {
  readonly url: string
  readonly token?: string | null
  /** Default: the platform's own. */
  readonly fetch?: RunnerFetch
}

/** A sandbox at a fixed address, for a runner that you start yourself. */
export const urlSandbox = ({ url: given, token = null, fetch: fetchRunner }: UrlSandboxOptions): SandboxProvider => {
  const { protocol, username, password, search, hash, host } = new URL(given)
  if (!/^https?:$/.test(protocol) || username || password || search || hash) {
    throw new Error("A runner's URL is plain http or https; its token is given apart from it.")
  }
  const url = given.replace(/\/+$/, '')
  const notice = {
    requestedBackend: 'url',
    resolvedBackend: 'url',
    isolation: 'unknown',
    reason: `the runner at ${host} was not started by this server`,
  }
  const sandbox = async ({ instance }: RunnerHealth): Promise<Sandbox> => ({
    id: `url-${(await sha256(`${url}\n${instance ?? ''}`)).slice(0, 16)}`,
    url,
    ...(fetchRunner && { fetch: fetchRunner }),
    token,
    hasRunEnv: instance !== undefined,
    notice,
  })

  const health = () => askHealth(url, HEALTH_MS, fetchRunner)

  return {
    async acquire() {
      const there = await health()
      if (!there?.ok)
        throw new Error(
          `The runner at ${host} does not answer. Start it, or correct its URL; redirects are not followed.`,
        )
      if (there.busy) throw new NoFreeSandboxError(`The runner at ${host} has another run.`)
      return sandbox(there)
    },
    async find(id) {
      const answer = await health()
      const there = answer && (await sandbox(answer))
      return there?.id === id ? there : null
    },
    health,
    setEnvVars: (there, vars) => putEnv(there, vars),
    stop: async () => {},
    forget: async () => {},
  }
}

/** With Web Crypto, because Workers run this code too. */
const sha256 = async (text: string): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
