// A misspelt `autenticate` would leave an app without a login, and a string in place of a list of origins would allow every
// substring of it.
import { findUnknownName } from '@bridle/kernel/text/nearest-name'
import type { Scope } from '@bridle/surfaces/http/access/authenticate'

interface Kind {
  readonly name: string
  readonly fits: (value: unknown) => boolean
}

export interface OptionPart {
  readonly kind: ValueKind
  readonly isRequired?: true
  readonly parts?: OptionParts
  readonly each?: OptionPart
}

export interface OptionParts {
  readonly [name: string]: OptionPart | ValueKind
}

const isText = (value: unknown): value is string => typeof value === 'string'
const scopes: { readonly [scope in Scope]: true } = { observe: true, operate: true, approve: true }
/** Supported by both engines. With any other, Codex would ask before every action, and Claude Code would fail every run. */
const permissionModes: readonly unknown[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']

const kinds = {
  any: { name: 'anything', fits: () => true },
  text: { name: 'a text', fits: isText },
  secret: { name: 'a text', fits: isText },
  address: { name: 'a text', fits: isText },
  number: { name: 'a number', fits: (value) => typeof value === 'number' },
  // Must be above 0: otherwise a rate would refuse every request.
  rate: { name: 'a finite number above 0', fits: (value) => Number.isFinite(value) && Number(value) > 0 },
  amount: { name: 'a number, 0 or more', fits: (value) => Number.isFinite(value) && Number(value) >= 0 },
  count: { name: 'a whole number, 0 or more', fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  // Also a string of digits, such as process.env.PORT.
  port: {
    name: 'a number from 0 to 65535',
    fits: (value) => /^\d{1,5}$/.test(String(value)) && Number(value) < 65_536,
  },
  flag: { name: 'true or false', fits: (value) => typeof value === 'boolean' },
  list: { name: 'a list', fits: (value) => Array.isArray(value) },
  texts: { name: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(isText) },
  // A token with a misspelt scope would silently lack the right.
  scopes: {
    name: `a list of ${Object.keys(scopes).join(', ')}`,
    fits: (value) => Array.isArray(value) && value.every((scope) => isText(scope) && Object.hasOwn(scopes, scope)),
  },
  permissionMode: {
    name: permissionModes.join(', ').replace(/, (?=\w+$)/, ' or '),
    fits: (value) => permissionModes.includes(value),
  },
  repositoryUse: {
    name: "'instructions' or 'none'",
    fits: (value) => value === 'instructions' || value === 'none',
  },
  textOrFile: {
    name: 'a text or { file }',
    fits: (value) => isText(value) || isText((value as { file?: unknown } | null)?.file),
  },
  object: { name: 'an object', fits: (value) => typeof value === 'object' && !Array.isArray(value) },
  function: { name: 'a function', fits: (value) => typeof value === 'function' },
  textOrList: { name: 'a text or a list', fits: (value) => isText(value) || Array.isArray(value) },
  textOrFunction: { name: 'a text or a function', fits: (value) => isText(value) || typeof value === 'function' },
} as const satisfies { readonly [kind: string]: Kind }

export type ValueKind = keyof typeof kinds

/** Never shows the value, which may be a secret. */
export const optionProblem = (options: object, known: OptionParts, within = ''): string | null => {
  // Names first, because a misspelt field is also a missing one.
  const unknown = findUnknownName(options, Object.keys(known))
  if (unknown !== null) {
    const { name, near } = unknown
    return `there is no "${within}${name}".${near === null ? '' : ` Did you mean "${within}${near}"?`}`
  }
  const values = options as { readonly [name: string]: unknown }
  return firstProblem(Object.entries(known), ([name, part]) =>
    valueProblem(`${within}${name}`, values[name], typeof part === 'string' ? { kind: part } : part),
  )
}

const valueProblem = (name: string, value: unknown, { kind, isRequired, parts, each }: OptionPart): string | null => {
  const { name: expected, fits }: Kind = kinds[kind]
  if (value === undefined || value === null)
    return isRequired || kind === 'rate' ? `"${name}" is missing: it must be ${expected}.` : null
  if (!fits(value)) return `"${name}" must be ${expected}.`
  if (each)
    return firstProblem([...(value as readonly unknown[]).entries()], ([at, one]) =>
      valueProblem(`${name}[${at}]`, one, each),
    )
  return parts ? optionProblem(value, parts, `${name}.`) : null
}

const firstProblem = <T>(items: readonly T[], problemOf: (item: T) => string | null): string | null => {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== null) return problem
  }
  return null
}
