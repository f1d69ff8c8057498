// The server's provider keys, and the proxy that lends them to runs; it is started with the first.
import { present } from '../../../kernel/json.ts'
import type { Job } from '../../../kernel/ports/runner.ts'
import { PROVIDER_NAMES, type ProviderName, providers } from '../../../runners/credentials/providers.ts'
import { type CredentialProxy, startCredentialProxy } from '../../../runners/credentials/proxy.ts'
import { SpendFiles } from '../../../runners/credentials/spend-files.ts'
import type { Engine } from '../../../runners/engines/engine.ts'
import type { EngineSettings } from '../../../runners/protocol.ts'
import { effectiveSettings, type RunCredentials } from '../../../runners/remote/remote-run.ts'
import { deriveSecret } from '../../../runners/secrets/server-secret.ts'
import type { SandboxOptions } from '../../agents/engines.ts'

export interface ProviderCredentialsOptions {
  readonly secret: string
  readonly env: NodeJS.ProcessEnv
  readonly sandbox: Pick<SandboxOptions, 'proxyUrl' | 'proxyHost'>
  readonly data: string
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
    const { keyName } = providers[provider]
    return this.#options.env[keyName] ? null : `Set ${keyName} where the server is started.`
  }

  forEngine(
    { provider }: Pick<Engine, 'provider'>,
    settings: EngineSettings,
    models: readonly string[] | undefined,
  ): RunCredentials {
    const name = ({ key, runId, attempt }: Job) => ({ key, runId, attempt, provider })
    return {
      grant: async (job) => {
        // A runner somewhere else may have keys of its own.
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

  async close(): Promise<void> {
    await (await this.#proxy?.catch(() => null))?.close()
  }

  #startProxy(): Promise<CredentialProxy> {
    const { secret, env, sandbox } = this.#options
    const { proxyUrl, proxyHost } = sandbox
    this.#proxy ??= startCredentialProxy({
      secret: deriveSecret(secret, 'credentials'),
      keys: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, () => env[providers[name].keyName]])),
      env,
      note: (name, sums) => this.#spendFiles.save(name, sums),
      ...present({ publicUrl: proxyUrl, host: proxyHost }),
    })
    return this.#proxy
  }
}
