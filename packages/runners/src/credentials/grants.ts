// A grant lets one attempt of one run spend a provider key until it is revoked. Its token is derived from the server's secret
// and never stored: after a restart the server derives the same token for a run that is still going.

import { createHash, createHmac } from 'node:crypto'
import { keyText } from '@bridle/kernel/event'
import type { Job } from '@bridle/kernel/ports/runner'
import { costUsd, type PriceTable, priceOf, type TokenUsage } from '@bridle/model-data/prices'
import { type ProviderName, providers } from './providers.ts'
import { SpendLedger, type SpendSums } from './spending/spend-ledger.ts'

export interface GrantName extends Pick<Job, 'key' | 'runId' | 'attempt'> {
  readonly provider: ProviderName
}

export interface GrantTerms {
  /** Names or patterns with `*`; absent = any model. */
  readonly models?: readonly string[]
  readonly maxSpendUsd?: number
  /** The cost of the run before this process started. */
  readonly spentUsd?: number
}

export interface RunSpend {
  readonly usd: number
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface ActiveGrant extends GrantName {
  models: readonly string[] | null
  readonly ledger: SpendLedger
  counts: Omit<RunSpend, 'usd'>
  /** Requests that the provider has not answered yet. Revoking the grant aborts them. */
  readonly openRequests: Set<AbortController>
}

export class CredentialGrants {
  /** Keyed by the digest of the token, so that the time of a lookup reveals nothing about other tokens. */
  readonly #grants = new Map<string, ActiveGrant>()
  readonly #secret: string
  readonly #prices: PriceTable
  readonly #saveSpend: (name: GrantName, sums: SpendSums) => void

  constructor(
    secret: string,
    prices: PriceTable = [],
    saveSpend: (name: GrantName, sums: SpendSums) => void = () => {},
  ) {
    this.#secret = secret
    this.#prices = prices
    this.#saveSpend = saveSpend
  }

  /** A run that is granted again keeps its sum: a restart must not refill a budget. */
  grant(name: GrantName, { models, maxSpendUsd, spentUsd = 0 }: GrantTerms): string {
    const token = this.#token(name)
    const { key, runId, attempt, provider } = name
    const live = this.#grants.get(digest(token))
    const maxUsd = maxSpendUsd ?? null
    if (live) {
      live.models = models ?? null
      live.ledger.setLimit(maxUsd)
      return token
    }
    const ledger = new SpendLedger({ maxUsd, spentUsd, saveSums: (sums) => this.#saveSpend(name, sums) })
    const counts = { requests: 0, inputTokens: 0, outputTokens: 0 }
    const own = { key, runId, attempt, provider, models: models ?? null }
    this.#grants.set(digest(token), { ...own, ledger, counts, openRequests: new Set() })
    return token
  }

  grantForToken(token: string): ActiveGrant | null {
    return this.#grants.get(digest(token)) ?? null
  }

  find(name: GrantName): ActiveGrant | null {
    return this.grantForToken(this.#token(name))
  }

  revoke(name: GrantName): RunSpend | null {
    const live = this.find(name)
    if (!live) return null
    this.#grants.delete(digest(this.#token(name)))
    for (const request of live.openRequests) request.abort()
    return spendOf(live)
  }

  charge(grant: ActiveGrant, model: string, usage: TokenUsage): number {
    const usd = costUsd(usage, priceOf(model, this.#prices))
    const { requests, inputTokens, outputTokens } = grant.counts
    grant.counts = {
      requests: requests + 1,
      inputTokens: inputTokens + usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      outputTokens: outputTokens + usage.outputTokens,
    }
    return usd
  }

  #token({ key, runId, attempt, provider }: GrantName): string {
    const named = JSON.stringify([providers[provider].mount, keyText(key), runId, attempt])
    return `bridle-run-${createHmac('sha256', this.#secret).update(`credential:${named}`).digest('base64url')}`
  }
}

export const spendOf = ({ ledger, counts }: ActiveGrant): RunSpend => ({ usd: ledger.spentUsd, ...counts })

const digest = (token: string): string => createHash('sha256').update(token).digest('base64')
