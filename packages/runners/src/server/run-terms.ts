// The terms on which runs use the keys of the runner itself. A server that sends its own credentials with a run limits their use in its own proxy.
import type { Provider } from '../credentials/providers/provider.ts'
import { type ProviderName, providers } from '../credentials/providers.ts'
import type { AdmissionTerms } from '../credentials/request-admission.ts'
import { SpendLedger } from '../credentials/spending/spend-ledger.ts'
import type { RunEnvVars } from '../protocol/protocol.ts'
import type { EnvVars } from './relay.ts'

export interface SpendRules {
  /** The models that runs may use, names or patterns with `*`; absent = any. */
  readonly models?: readonly string[]
  /** The most that one run may cost, in US dollars; absent = no limit. */
  readonly maxSpendUsd?: number
}

export type RunTerms = (provider: ProviderName) => AdmissionTerms

export const unlimitedTerms: RunTerms = () => ({ models: null, ledger: new SpendLedger({ maxUsd: null }) })

/** The sums are those of one run. `named`: the variables that came with the run. */
export const runTerms = (
  { models, maxSpendUsd }: SpendRules,
  budgetUsd: number | null | undefined,
  named: () => RunEnvVars,
): RunTerms => {
  const limits = [maxSpendUsd, budgetUsd].filter((usd) => typeof usd === 'number')
  const own = new SpendLedger({ maxUsd: limits.length === 0 ? null : Math.min(...limits) })
  const lent = new SpendLedger({ maxUsd: null })
  return (provider) => {
    const isLent = namesVariableOf(providers[provider], named())
    return { models: isLent ? null : (models ?? null), ledger: isLent ? lent : own }
  }
}

/** A run that sets any variable of a provider gets none of the runner's: its key must not go to an address of the caller. */
export const mergeRunVars = (own: EnvVars, ofRun: RunEnvVars): EnvVars => {
  const named = Object.values(providers).filter((provider) => namesVariableOf(provider, ofRun))
  const kept = Object.entries(own).filter(
    ([name]) => !named.some(({ variablePrefix }) => name.startsWith(variablePrefix)),
  )
  const overrides = Object.entries(ofRun).map(([name, value]) => [name, value ?? undefined])
  return { ...Object.fromEntries(kept), ...Object.fromEntries(overrides) }
}

const namesVariableOf = ({ variablePrefix }: Provider, vars: RunEnvVars): boolean =>
  Object.keys(vars).some((name) => name.startsWith(variablePrefix))
