import type { Pattern } from './case.ts'
import { type Difference, showValue } from './failure.ts'

export type SavedValues = Map<string, string>

export const fillTemplates = <T>(value: T, saved: ReadonlyMap<string, string>): T => {
  if (typeof value === 'string') return value.replaceAll(/\{([a-z]+)\}/g, (all, name) => saved.get(name) ?? all) as T
  if (Array.isArray(value)) return value.map((each) => fillTemplates(each, saved)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fillTemplates(each, saved)])) as T
}

/** Null if the value matches; only then are its `$save` values kept. */
export const findDifference = (pattern: Pattern, value: unknown, saved: SavedValues): Difference | null => {
  const found: SavedValues = new Map()
  const problem = compare(pattern, value, found, '')
  if (problem === null) for (const [name, text] of found) saved.set(name, text)
  return problem
}

const compare = (pattern: Pattern, value: unknown, found: SavedValues, at: string): Difference | null => {
  const wrong = (expected: unknown) => ({ at: at || 'body', expected: showValue(expected), actual: showValue(value) })
  if (typeof pattern !== 'object' || pattern === null) return pattern === value ? null : wrong(pattern)
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return wrong(pattern)
    return first(pattern.map((each, index) => () => compare(each, value[index], found, `${at}[${index}]`)))
  }
  const special = pattern as { readonly [name: string]: Pattern }
  if ('$absent' in special) return value === undefined ? null : wrong('nothing')
  if (value === undefined) return wrong(pattern)
  if ('$any' in special) return null
  if ('$length' in special) return Array.isArray(value) && value.length === special.$length ? null : wrong(pattern)
  if ('$match' in special)
    return typeof value === 'string' && new RegExp(String(special.$match)).test(value) ? null : wrong(pattern)
  if ('$save' in special) {
    found.set(String(special.$save), String(value))
    return null
  }
  if (typeof value !== 'object' || value === null) return wrong(pattern)
  const fields = value as { readonly [name: string]: unknown }
  return first(
    Object.entries(special).map(
      ([name, each]) =>
        () =>
          compare(each, fields[name], found, at ? `${at}.${name}` : name),
    ),
  )
}

const first = (checks: readonly (() => Difference | null)[]): Difference | null => {
  for (const check of checks) {
    const problem = check()
    if (problem !== null) return problem
  }
  return null
}
