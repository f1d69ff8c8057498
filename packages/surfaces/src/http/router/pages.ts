// A path that starts like a route is never a page, so files cannot shadow answers, and API clients get a JSON 404.

import { type Denial, unknownPath } from '../denials/denial.ts'
import { faultDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { decodedOrNull } from './path-pattern.ts'

/** Responds with a file, or 404. */
export type FileServer = (request: Request) => Promise<Response>

/** `roots`: first segments of all routes. */
export const pageOr404 = async (
  request: Request,
  files: FileServer,
  roots: ReadonlySet<string>,
): Promise<Response | Denial> => {
  const { pathname } = new URL(request.url)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || roots.has(firstSegment(pathname)) || hasDotSegment(pathname)) return unknownPath(request)
  try {
    const file = await files(request)
    if (file.status !== 404) return withSecurityHeaders(await withPrefix(request, file))
    if (!isAppPath(request, pathname)) return unknownPath(request)
    const app = await files(new Request(new URL('/', request.url), request))
    return app.status === 404 ? unknownPath(request) : withSecurityHeaders(await withPrefix(request, app))
  } catch (error) {
    return faultDenial(error)
  }
}

/** Without an app, browsers are sent to the API docs. */
export const redirectToDocs = (request: Request): Response | Denial =>
  request.method === 'GET' && new URL(request.url).pathname === '/'
    ? new Response(null, { status: 302, headers: { location: publicPath(request, '/docs') } })
    : unknownPath(request)

/** Decodes like a file server would: `//docs` and `/%64ocs` start like `/docs`. */
export const firstSegment = (path: string): string => segments(path)[1] ?? ''

/** URL parsing resolves `..` and `%2e%2e`, but not next to an encoded slash. No file server should see such a path. */
const hasDotSegment = (path: string): boolean => segments(path).some((each) => each === '.' || each === '..')

const segments = (path: string): readonly string[] => (decodedOrNull(path) ?? path).split(/[/\\]+/)

/** True if the app's own router may know the path: a browser asks for a page, and the path does not look like a file. */
const isAppPath = ({ headers }: Request, pathname: string): boolean =>
  /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.get('accept') ?? '') &&
  !(pathname.split('/').at(-1) ?? '').includes('.')

/** The app is built for `/`. If a proxy removed a prefix, this restores it in the page's links and base path. */
const withPrefix = async (request: Request, page: Response): Promise<Response> => {
  const prefix = publicPath(request, '')
  if (prefix === '' || page.body === null || !page.headers.get('content-type')?.startsWith('text/html')) return page
  const headers = new Headers(page.headers)
  // Both describe the unmodified file.
  for (const name of ['etag', 'content-length']) headers.delete(name)
  const text = (await page.text())
    .replaceAll(/(src|href)="\/(?!\/)/g, `$1="${prefix}/`)
    .replace('name="bridle-base" content="/"', `name="bridle-base" content="${prefix}/"`)
  return new Response(text, { status: page.status, headers })
}

/** The app acts with the operator's token, so no page may frame it, and it only runs its own scripts. */
const SECURITY_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy': [
    "default-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "script-src 'self'",
    "style-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Only the app may use the microphone, for voice sessions.
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(self), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Keeps headers that are already set. */
const withSecurityHeaders = (response: Response): Response => {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value)
  return new Response(response.body, { status, statusText, headers })
}
