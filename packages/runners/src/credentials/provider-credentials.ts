// The provider keys of the server. The first run that needs a key starts the proxy that lends them to runs.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { present } from '@bridle/events/json'
import { keyText } from '@bridle/kernel/event'
import type { Job } from '@bridle/kernel/ports/runner'
import type { Engine } from '../engines/engine.ts'
import type { McpHandlers, McpRunName } from '../mcp/handler.ts'
import { readJson, writeJson } from '../process/json-file.ts'
import type { EngineSettings, RunEnvVars } from '../protocol/protocol.ts'
import type { RunCredentials } from '../remote/remote-runner.ts'
import { sessionFolder } from '../sandboxes/folders/session-paths.ts'
import { deriveSecret } from '../secrets/server-secret.ts'
import { effectiveSettings } from './effective-settings.ts'
import type { GrantName } from './grants.ts'
import { PROVIDER_NAMES, type ProviderName, providers } from './providers.ts'
import { type CredentialProxy, type ProxyLogin, startCredentialProxy } from './proxy.ts'
import { findCredential, loginSources, type ServerCredential } from './server-credential.ts'
import type { SpendSums } from './spending/spend-ledger.ts'

export interface ProviderCredentialsOptions {
  readonly secret: string
  readonly env: NodeJS.ProcessEnv
  /** How sandboxes reach the proxy; absent = on the loopback of this machine. */
  readonly sandbox: { readonly proxyUrl?: string; readonly proxyHost?: string; readonly url?: string }
  readonly data: string
  /** Why personal logins are not used, in a sentence; absent or null = they are. */
  readonly loginRefusal?: string | null
}

export class ProviderCredentials {
  readonly #options: ProviderCredentialsOptions
  readonly #spendFiles: SpendFiles
  #proxy: Promise<CredentialProxy> | null = null

  constructor(options: ProviderCredentialsOptions) {
    this.#options = options
    this.#spendFiles = new SpendFiles(options.data)
  }

  missingKey(provider: ProviderName): string | null {
    const found = this.#find(provider)
    return 'missing' in found ? found.missing : null
  }

  /** The place of the key or login, for people; null = there is none. */
  nameOf(provider: ProviderName): string | null {
    const found = this.#find(provider)
    return 'missing' in found ? null : found.name
  }

  forEngine(
    { provider }: Pick<Engine, 'provider'>,
    settings: EngineSettings,
    models: readonly string[] | undefined,
    mcpServers?: McpServersOfRun,
  ): RunCredentials {
    const name = ({ key, runId, attempt }: Job) => ({ key, runId, attempt, provider })
    return {
      grant: async (job) => {
        const mcp = mcpServers ? await this.#grantMcp(job, mcpServers) : {}
        // A runner on another machine may have keys that the server does not know.
        if (this.missingKey(provider)) return mcp
        const { max_budget_usd: budget } = effectiveSettings(settings, job)
        const terms = { ...(typeof budget === 'number' && { maxSpendUsd: budget }), ...(models && { models }) }
        const { token, baseUrl } = (await this.#startProxy()).grant({
          ...name(job),
          ...terms,
          spentUsd: this.#spendFiles.load(name(job)),
        })
        const { keyName, urlName } = providers[provider]
        return { [keyName]: token, [urlName]: baseUrl, ...mcp }
      },
      revoke: (job) => {
        this.#proxy
          ?.then((proxy) => {
            proxy.revoke(name(job))
            proxy.revokeMcp(job)
          })
          .catch(() => {})
      },
    }
  }

  /** Empty if a remote runner cannot reach this proxy. */
  async #grantMcp(job: Job, servers: McpServersOfRun): Promise<RunEnvVars> {
    const { url, proxyUrl } = this.#options.sandbox
    if (proxyUrl === undefined && url !== undefined && !isLoopbackUrl(url)) return {}
    const { token, url: base } = (await this.#startProxy()).grantMcp(job, () => servers(job))
    return { BRIDLE_MCP_URL: base, BRIDLE_MCP_TOKEN: token }
  }

  #find(provider: ProviderName): ServerCredential {
    const { env, loginRefusal = null } = this.#options
    return findCredential(provider, { env, loginRefusal, nowMs: Date.now() })
  }

  #login(provider: ProviderName): ProxyLogin {
    const found = this.#find(provider)
    if ('missing' in found) return { missing: found.missing }
    return 'login' in found ? { ...found.login, renewal: loginSources[provider].renewal } : { missing: '' }
  }

  async close(): Promise<void> {
    await (await this.#proxy?.catch(() => null))?.close()
  }

  #startProxy(): Promise<CredentialProxy> {
    const { secret, env, sandbox } = this.#options
    const { proxyUrl, proxyHost } = sandbox
    this.#proxy ??= startCredentialProxy({
      secret: deriveSecret(secret, 'credentials'),
      keys: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, () => env[providers[name].keyName]])),
      logins: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, () => this.#login(name)])),
      env,
      saveSpend: (name, sums) => this.#spendFiles.save(name, sums),
      ...present({ publicUrl: proxyUrl, host: proxyHost }),
    })
    return this.#proxy
  }
}

/** The handlers of the MCP servers that a run reaches through the server. */
export type McpServersOfRun = (run: McpRunName) => McpHandlers

const isLoopbackUrl = (url: string): boolean => {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}

interface SpendRecord {
  readonly run: string
  readonly usd: number
  /** The worst-case cost of open requests. Absent in files of an older version. */
  readonly reservedUsd?: number
}

/** The cost of a session's current run, in a file of its folder, so that a restart does not reset a limit. */
class SpendFiles {
  readonly #data: string

  constructor(data: string) {
    this.#data = data
  }

  /** The cost of the run so far. Makes the folder that later sums are saved in. */
  load(name: GrantName): number {
    mkdirSync(sessionFolder(this.#data, name.key), { recursive: true, mode: 0o700 })
    return this.#of(name)
  }

  /** Saves nothing for a session that was removed meanwhile: its folder must not come back. */
  save(name: GrantName, { spentUsd, reservedUsd }: SpendSums): void {
    const file = this.#file(name)
    if (!existsSync(dirname(file))) return
    const noted: SpendRecord = { run: runOf(name), usd: spentUsd, reservedUsd }
    writeJson(file, noted)
  }

  /** A request that was open when the last process died counts with its worst-case cost: its real cost is unknown. */
  #of(name: GrantName): number {
    const noted = readJson(this.#file(name)) as SpendRecord | null
    if (noted?.run !== runOf(name) || !Number.isFinite(noted.usd)) return 0
    return noted.usd + (Number.isFinite(noted.reservedUsd) ? (noted.reservedUsd ?? 0) : 0)
  }

  #file({ key }: GrantName): string {
    return join(sessionFolder(this.#data, key), 'spent.json')
  }
}

/** A branch begins with its parent's folder, whose runs may have the same numbers. */
const runOf = ({ key, runId, attempt, provider }: GrantName): string =>
  createHash('sha256')
    .update(JSON.stringify([keyText(key), runId, attempt, provider]))
    .digest('hex')
