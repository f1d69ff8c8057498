// The variables of the run in progress over those of the runner.
import { providers } from '../credentials/providers.ts'
import type { EnvVars } from './relay.ts'

const PREFIXES = Object.values(providers).map(({ variablePrefix }) => variablePrefix)

/**
 * A run that names anything of a provider has nothing of the runner's for that provider: the runner's own key never goes to
 * an address that a caller named.
 */
export const mergeRunVars = (own: EnvVars, ofRun: { readonly [name: string]: string | null }): EnvVars => {
  const named = PREFIXES.filter((prefix) => Object.keys(ofRun).some((name) => name.startsWith(prefix)))
  const kept = Object.entries(own).filter(([name]) => !named.some((prefix) => name.startsWith(prefix)))
  const overrides = Object.entries(ofRun).map(([name, value]) => [name, value ?? undefined])
  return { ...Object.fromEntries(kept), ...Object.fromEntries(overrides) }
}
