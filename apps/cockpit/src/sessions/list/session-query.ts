// The filters of the list, as the address has them, and as the server takes them.
import type { SessionFilter } from 'bridle/client'

/** Names as in the address; an absent one filters nothing. */
export const FILTER_NAMES = ['search', 'status', 'agent', 'kind', 'engine', 'flag', 'since', 'archived'] as const
export type FilterName = (typeof FILTER_NAMES)[number]
export type SessionQuery = { readonly [name in FilterName]?: string }

/** A span of time by its name in the address. */
export const SINCE_MS: { readonly [name: string]: number } = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
}

export const readQuery = (params: URLSearchParams): SessionQuery =>
  Object.fromEntries(FILTER_NAMES.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : [])))

/** The address with another value of one filter; everything else in it stays. */
export const withFilter = (params: URLSearchParams, name: FilterName, value: string): URLSearchParams => {
  const next = new URLSearchParams(params)
  if (value === '') next.delete(name)
  else next.set(name, value)
  return next
}

export const withoutFilters = (params: URLSearchParams): URLSearchParams => {
  const next = new URLSearchParams(params)
  for (const name of FILTER_NAMES) next.delete(name)
  return next
}

export const isFiltered = (query: SessionQuery): boolean => Object.keys(query).length > 0

/** A span that the page does not know filters nothing. The server refuses any other unknown value. */
export const serverFilter = ({ since, archived, ...query }: SessionQuery, now: number): SessionFilter => {
  const spanMs = since === undefined ? undefined : SINCE_MS[since]
  return {
    ...(query as SessionFilter),
    ...(spanMs !== undefined && { changed_since: new Date(now - spanMs).toISOString() }),
    ...(archived === 'true' && { archived: true }),
    ...(archived === 'all' && { archived }),
  }
}
