import { Denial } from '../denials/denial.ts'
import { matchPath } from './path-pattern.ts'
import type { Route } from './route.ts'

/** Sorted, for `Allow`; null if no route matches. */
export const allowedMethods =
  (rows: readonly Pick<Route, 'method' | 'path'>[]) =>
  ({ url }: Pick<Request, 'url'>): string | null => {
    const { pathname } = new URL(url)
    const methods = rows.filter(({ path }) => matchesPath(path, pathname)).map(({ method }) => method.toUpperCase())
    if (methods.length === 0) return null
    const more = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
    return [...new Set([...methods, ...more])].sort().join(', ')
  }

export const methodNotAllowed = ({ method }: Request, allow: string): Denial =>
  new Denial('method_not_allowed', `This path has no ${method}; it has ${allow}.`, { allow })

/** Parameters cannot be empty: `/sessions/` is not a session. */
const matchesPath = (path: string, pathname: string): boolean => {
  const params = matchPath(path, pathname)
  return params !== null && !Object.values(params).includes('')
}
