// The server's provider keys, and the proxy that lends them to runs; it is started with the first.
import { present } from '../../../kernel/json.ts'
import type { Job } from '../../../kernel/ports/runner.ts'
import { type CredentialProxy, startCredentialProxy } from '../../../runners/credentials/proxy.ts'
import { SpendFiles } from '../../../runners/credentials/spend-files.ts'
import type { Engine } from '../../../runners/engines/engine.ts'
import type { EngineSettings } from '../../../runners/protocol.ts'
import { effectiveSettings, type RunCredentials } from '../../../runners/remote/remote-run.ts'
import { deriveSecret } from '../../../runners/secrets/server-secret.ts'
import type { SandboxOptions } from '../../agents/engines.ts'

const KEY_NAMES = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const

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

  missingKey(provider: keyof typeof KEY_NAMES): string | null {
    const name = KEY_NAMES[provider]
    return this.#options.env[name] ? null : `Set ${name} where the server is started.`
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
        const prefix = provider.toUpperCase()
        return { [`${prefix}_API_KEY`]: token, [`${prefix}_BASE_URL`]: baseUrl }
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
      keys: { anthropic: () => env.ANTHROPIC_API_KEY, openai: () => env.OPENAI_API_KEY },
      env,
      note: (name, sums) => this.#spendFiles.save(name, sums),
      ...present({ publicUrl: proxyUrl, host: proxyHost }),
    })
    return this.#proxy
  }
}
