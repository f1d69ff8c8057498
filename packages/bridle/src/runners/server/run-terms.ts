// Limits of a run on the runner's own keys. A server that sends its own credentials with a run checks them in
// its own proxy.

import { priceOf } from '../../model-data/prices.ts'
import { PROVIDER_BODY_BYTES_MAX } from '../credentials/limits.ts'
import { type ProviderName, providers } from '../credentials/providers.ts'
import type { AdmissionTerms } from '../credentials/request-admission.ts'
import { SpendLedger } from '../credentials/spending/spend-ledger.ts'
import { worstCaseUsd } from '../credentials/spending/worst-case-cost.ts'

export interface SpendRules {
  /** The models that runs may use, names or patterns with `*`; absent = any. */
  readonly models?: readonly string[]
  /** The most that one run may cost, in US dollars; absent = no limit. */
  readonly maxSpendUsd?: number
}

export type RunTerms = (provider: ProviderName) => AdmissionTerms

const common = {
  bodyBytesMax: PROVIDER_BODY_BYTES_MAX,
  worstCase: (model: string, content: object, text: string) => worstCaseUsd(content, text, priceOf(model)),
}

export const unlimitedTerms: RunTerms = () => ({ ...common, models: null, ledger: new SpendLedger({ maxUsd: null }) })

/** The sums are those of one run. `named`: the variables that came with the run. */
export const runTerms = (
  { models, maxSpendUsd }: SpendRules,
  budgetUsd: number | null | undefined,
  named: () => { readonly [name: string]: string | null },
): RunTerms => {
  const limits = [maxSpendUsd, budgetUsd].filter((usd) => typeof usd === 'number')
  const own = new SpendLedger({ maxUsd: limits.length === 0 ? null : Math.min(...limits) })
  const lent = new SpendLedger({ maxUsd: null })
  return (provider) => {
    const isLent = Object.keys(named()).some((name) => name.startsWith(providers[provider].variablePrefix))
    return { ...common, models: isLent ? null : (models ?? null), ledger: isLent ? lent : own }
  }
}
