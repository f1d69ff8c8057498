// Who may spend a provider key: one attempt of one run, for as long as it is granted. The token is derived, so that the
// next process of ours grants the same one to a run that outlived us; nothing of it is stored.
import { createHash, createHmac } from 'node:crypto'
import { type Key, keyText } from '../../kernel/event.ts'
import { type ProviderName, providers } from './providers.ts'
import { costUsd, type PriceTable, priceOf, type Usage } from './spending/prices.ts'
import { SpendLedger, type SpendSums } from './spending/spend-ledger.ts'
import { worstCaseUsd } from './spending/worst-case-cost.ts'

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
  readonly ledger: SpendLedger
  counts: Omit<Spend, 'usd'>
  /** Requests that are with the provider; they end with the grant. */
  readonly underWay: Set<AbortController>
}

export class Grants {
  /** By digest, so that looking one up says nothing about the others through its timing. */
  readonly #live = new Map<string, LiveGrant>()
  readonly #secret: string
  readonly #prices: PriceTable
  readonly #note: (name: GrantName, sums: SpendSums) => void

  constructor(secret: string, prices: PriceTable = [], note: (name: GrantName, sums: SpendSums) => void = () => {}) {
    this.#secret = secret
    this.#prices = prices
    this.#note = note
  }

  /** Granted again, a run keeps what it has spent. */
  grant(name: GrantName, { models, maxSpendUsd, spentUsd = 0 }: GrantTerms): string {
    const token = this.#token(name)
    const { key, runId, attempt, provider } = name
    const live = this.#live.get(digest(token))
    const maxUsd = maxSpendUsd ?? null
    if (live) {
      live.models = models ?? null
      live.ledger.limitTo(maxUsd)
      return token
    }
    const ledger = new SpendLedger({ maxUsd, spentUsd, note: (sums) => this.#note(name, sums) })
    const counts = { requests: 0, inputTokens: 0, outputTokens: 0 }
    const own = { key, runId, attempt, provider, models: models ?? null }
    this.#live.set(digest(token), { ...own, ledger, counts, underWay: new Set() })
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
    return spendOf(live)
  }

  /** The most that a request may cost. */
  worstCase(model: string, content: object, body: string): number {
    return worstCaseUsd(content, body, priceOf(model, this.#prices))
  }

  /** What it cost. */
  charge(grant: LiveGrant, model: string, usage: Usage): number {
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

export const spendOf = ({ ledger, counts }: LiveGrant): Spend => ({ usd: ledger.spentUsd, ...counts })

const digest = (token: string): string => createHash('sha256').update(token).digest('base64')
