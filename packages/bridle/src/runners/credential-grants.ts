// Who may spend a provider key: one attempt of one run, for as long as it is granted. The token is derived, so that the
// next process of ours grants the same one to a run that outlived us; nothing of it is stored.
import { createHash, createHmac } from 'node:crypto'
import { type Key, keyText } from '../kernel/event.ts'
import { costUsd, type PriceTable, priceOf, type Usage } from './provider-prices.ts'
import { type ProviderName, providers } from './providers.ts'

export interface GrantName {
  readonly key: Key
  readonly runId: string
  readonly attempt: number
  readonly provider: ProviderName
}

export interface GrantTerms {
  /** Names or patterns with `*`; absent = any model. */
  readonly models?: readonly string[]
  readonly maxSpendUsd?: number
  /** What the run had spent before this process. */
  readonly spentUsd?: number
}

export interface Spend {
  readonly usd: number
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface LiveGrant extends GrantName {
  models: readonly string[] | null
  maxSpendUsd: number | null
  spend: Spend
  /** Requests that are with the provider; they end with the grant. */
  readonly underWay: Set<AbortController>
}

export class Grants {
  /** By digest, so that looking one up says nothing about the others through its timing. */
  readonly #live = new Map<string, LiveGrant>()
  readonly #secret: string
  readonly #prices: PriceTable

  constructor(secret: string, prices: PriceTable = []) {
    this.#secret = secret
    this.#prices = prices
  }

  /** Granted again, a run keeps what it has spent. */
  grant(name: GrantName, { models, maxSpendUsd, spentUsd = 0 }: GrantTerms): string {
    const token = this.#token(name)
    const { key, runId, attempt, provider } = name
    const live = this.#live.get(digest(token))
    const terms = { models: models ?? null, maxSpendUsd: maxSpendUsd ?? null }
    if (live) Object.assign(live, terms)
    else {
      const spend = { usd: spentUsd, requests: 0, inputTokens: 0, outputTokens: 0 }
      this.#live.set(digest(token), { key, runId, attempt, provider, ...terms, spend, underWay: new Set() })
    }
    return token
  }

  bearerOf(token: string): LiveGrant | null {
    return this.#live.get(digest(token)) ?? null
  }

  named(name: GrantName): LiveGrant | null {
    return this.bearerOf(this.#token(name))
  }

  revoke(name: GrantName): Spend | null {
    const live = this.named(name)
    if (!live) return null
    this.#live.delete(digest(this.#token(name)))
    for (const request of live.underWay) request.abort()
    return live.spend
  }

  /** What it cost. */
  charge(grant: LiveGrant, model: string, usage: Usage): number {
    const usd = costUsd(usage, priceOf(model, this.#prices))
    const { spend } = grant
    grant.spend = {
      usd: spend.usd + usd,
      requests: spend.requests + 1,
      inputTokens: spend.inputTokens + usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      outputTokens: spend.outputTokens + usage.outputTokens,
    }
    return usd
  }

  #token({ key, runId, attempt, provider }: GrantName): string {
    const named = JSON.stringify([providers[provider].mount, keyText(key), runId, attempt])
    return `bridle-run-${createHmac('sha256', this.#secret).update(`credential:${named}`).digest('base64url')}`
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64')
