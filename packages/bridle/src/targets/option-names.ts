// The names that options may have, for every target. A misspelt name is refused: `autenticate` would leave an app without a login, and a
// typo in `tenants` would open all tenants to a token.

import { findUnknownName } from '../kernel/text/nearest-name.ts'
import { engineDescriptions } from '../runners/engines/descriptions.ts'
import type { AccessOptions } from '../surfaces/http/access/authenticate.ts'
import type { RateLimit } from '../surfaces/http/access/rate-limit.ts'
import type { OpenHarnessOptions } from '../surfaces/http/router/openharness-options.ts'

/** A table that the compiler keeps complete. */
export type OptionNames<T> = { readonly [name in keyof Required<T>]: true }
/** Options, where they stand (`rateLimit.`), and the names that they may have. */
export type OptionPart = readonly [within: string, options: unknown, known: object]

/** A sentence about the first unknown name; null = all names are known. */
export const unknownOptionProblem = (parts: readonly OptionPart[]): string | null => {
  for (const [within, options, known] of parts) {
    const unknown = findUnknownName(options ?? {}, Object.keys(known))
    if (unknown === null) continue
    const { name, near } = unknown
    return `there is no "${within}${name}".${near === null ? '' : ` Did you mean "${within}${near}"?`}`
  }
  return null
}

type ElementOf<T> = T extends readonly (infer E)[] ? E : never

const tokenNames: OptionNames<ElementOf<AccessOptions['tokens']>> = {
  token: true,
  tenants: true,
  scopes: true,
  user: true,
}
const backOffNames: OptionNames<NonNullable<AccessOptions['authBackOff']>> = { windowMs: true, maxFailures: true }
const rateLimitNames: OptionNames<RateLimit> = { windowMs: true, maxRequests: true }
const openharnessNames: OptionNames<OpenHarnessOptions> = { waitMs: true, restrictedKeys: true, fetch: true }
const engineNames = Object.fromEntries(engineDescriptions.map(({ name }) => [name, true]))
/** Engines take these and no others; their type is open, because the wire to a runner is. */
const engineSettingNames = { model: true, models: true, permission_mode: true, max_budget_usd: true, max_turns: true }

interface SharedOptions extends Pick<AccessOptions, 'tokens' | 'authBackOff'> {
  readonly rateLimit?: RateLimit
  readonly openharness?: OpenHarnessOptions
  readonly engines?: object
}

/** The parts that Node and Cloudflare have in common. */
export const sharedParts = (options: SharedOptions): readonly OptionPart[] => {
  const { tokens, authBackOff, rateLimit, openharness, engines } = options
  return [
    ...(Array.isArray(tokens) ? tokens : []).map((token, at) => [`tokens[${at}].`, token, tokenNames] as const),
    ['authBackOff.', authBackOff, backOffNames],
    ['rateLimit.', rateLimit, rateLimitNames],
    ['openharness.', openharness, openharnessNames],
    ['engines.', engines, engineNames],
    ...Object.entries(engines ?? {}).map(([name, engine]) => [`engines.${name}.`, engine, engineSettingNames] as const),
  ]
}
