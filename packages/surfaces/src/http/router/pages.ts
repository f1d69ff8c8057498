// The files of a web app, for paths that no route has. A path that begins like a route is never a page: a file cannot replace an
// answer, and a client that asks for data gets a 404 in JSON, and no HTML.

import { type Denial, unknownPath } from '../denials/denial.ts'
import { faultDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { decodedOrNull } from './path-pattern.ts'

/** Answers with a file, or 404. */
export type FileServer = (request: Request) => Promise<Response>

/** `roots` are the first segments of all routes. */
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

/** A server without an app sends a browser to the description of its routes. */
export const redirectToDocs = (request: Request): Response | Denial =>
  request.method === 'GET' && new URL(request.url).pathname === '/'
    ? new Response(null, { status: 302, headers: { location: publicPath(request, '/docs') } })
    : unknownPath(request)

/** The first part of a path as a file server may read it: `//docs` and `/%64ocs` begin like `/docs`. */
export const firstSegment = (path: string): string => segments(path)[1] ?? ''

/** A URL resolves `..`, also as `%2e%2e`, and keeps one whose slash is encoded. No page has such a path, and no file server should see it. */
const hasDotSegment = (path: string): boolean => segments(path).some((each) => each === '.' || each === '..')

const segments = (path: string): readonly string[] => (decodedOrNull(path) ?? path).split(/[/\\]+/)

/** A path that the app's router may know: a browser asks for a page, and the path does not look like a file. */
const isAppPath = ({ headers }: Request, pathname: string): boolean =>
  /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.get('accept') ?? '') &&
  !(pathname.split('/').at(-1) ?? '').includes('.')

/**
 * The page as a caller behind a proxy needs it: the app is built for `/`, and the proxy removes a prefix. Its files and the path that its
 * head names get the prefix back.
 */
const withPrefix = async (request: Request, page: Response): Promise<Response> => {
  const prefix = publicPath(request, '')
  if (prefix === '' || page.body === null || !page.headers.get('content-type')?.startsWith('text/html')) return page
  const headers = new Headers(page.headers)
  // The validator and the length are those of the unchanged file.
  for (const name of ['etag', 'content-length']) headers.delete(name)
  const text = (await page.text())
    .replaceAll(/(src|href)="\/(?!\/)/g, `$1="${prefix}/`)
    .replace('name="bridle-base" content="/"', `name="bridle-base" content="${prefix}/"`)
  return new Response(text, { status: page.status, headers })
}

/** The app acts with the operator's token: no other page may frame it, and it runs only its own scripts. */
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
  // The app itself may ask for the microphone, for sessions that are spoken with; nothing else of the machine.
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(self), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** A header that a file has already stays. */
const withSecurityHeaders = (response: Response): Response => {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value)
  return new Response(response.body, { status, statusText, headers })
}
