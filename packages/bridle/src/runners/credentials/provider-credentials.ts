// The provider keys of the server. The first run that needs a key starts the proxy that lends them to runs.
import { present } from '../../kernel/json.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { Engine } from '../engines/engine.ts'
import type { EngineSettings } from '../protocol.ts'
import { effectiveSettings } from '../remote/effective-settings.ts'
import type { RunCredentials } from '../remote/remote-runner-options.ts'
import { deriveSecret } from '../secrets/server-secret.ts'
import { PROVIDER_NAMES, type ProviderName, providers } from './providers.ts'
import { type CredentialProxy, type ProxyLogin, startCredentialProxy } from './proxy.ts'
import { findCredential, loginSources, type ServerCredential } from './server-credential.ts'
import { SpendFiles } from './spend-files.ts'

export interface ProviderCredentialsOptions {
  readonly secret: string
  readonly env: NodeJS.ProcessEnv
  /** How sandboxes reach the proxy; absent = on the loopback of this machine. */
  readonly sandbox: { readonly proxyUrl?: string; readonly proxyHost?: string }
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
  ): RunCredentials {
    const name = ({ key, runId, attempt }: Job) => ({ key, runId, attempt, provider })
    return {
      grant: async (job) => {
        // A runner on another machine may have keys that the server does not know.
        if (this.missingKey(provider)) return {}
        const { max_budget_usd: budget } = effectiveSettings(settings, job)
        const terms = { ...(typeof budget === 'number' && { maxSpendUsd: budget }), ...(models && { models }) }
        const { token, baseUrl } = (await this.#startProxy()).grant({
          ...name(job),
          ...terms,
          spentUsd: this.#spendFiles.load(name(job)),
        })
        const { keyName, urlName } = providers[provider]
        return { [keyName]: token, [urlName]: baseUrl }
      },
      revoke: (job) => {
        this.#proxy?.then((proxy) => proxy.revoke(name(job))).catch(() => {})
      },
    }
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
