// The methods of a path, for a request with another one.
import { allowOrigin } from './cors.ts'
import { plainError } from './errors.ts'
import { matchPath } from './path-pattern.ts'
import type { Route } from './route.ts'

/** As `Allow` lists them, in the order of the alphabet; null = no route has this path. */
export const allowedMethods =
  (rows: readonly Pick<Route, 'method' | 'path'>[]) =>
  ({ url }: Pick<Request, 'url'>): string | null => {
    const { pathname } = new URL(url)
    const methods = rows.filter(({ path }) => matchesPath(path, pathname)).map(({ method }) => method.toUpperCase())
    if (methods.length === 0) return null
    const more = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
    return [...new Set([...methods, ...more])].sort().join(', ')
  }

export const methodNotAllowed = (request: Request, allow: string, allowedOrigins?: readonly string[]): Response =>
  allowOrigin(
    plainError(405, `This path has no ${request.method}; it has ${allow}.`, { allow }),
    request,
    allowedOrigins,
  )

/** The router takes no empty parameter: `/sessions/` is not a session. */
const matchesPath = (path: string, pathname: string): boolean => {
  const params = matchPath(path, pathname)
  return params !== null && !Object.values(params).includes('')
}
