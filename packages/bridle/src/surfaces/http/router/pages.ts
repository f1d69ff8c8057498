// The files of a web app, for what no route knows. Nothing that begins like a route is ever a page, so a file cannot stand in
// for an answer, and what asks for data is told in its own shape that there is none.

import { publicPath } from '../requests/public-path.ts'
import { type Denial, notFound } from './denial.ts'
import { faultDenial } from './kernel-denials.ts'

/** Answers with a file, or 404. */
export type FileServer = (request: Request) => Promise<Response>

export interface PagesOptions {
  readonly files: FileServer
  /** How the paths of all routes begin. */
  readonly roots: ReadonlySet<string>
}

export const pageOr404 = async (request: Request, { files, roots }: PagesOptions): Promise<Response | Denial> => {
  const { pathname } = new URL(request.url)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || roots.has(firstSegment(pathname))) return notFound()
  try {
    const file = await files(request)
    if (file.status !== 404) return withSecurityHeaders(file)
    if (!isAppPath(request, pathname)) return notFound()
    const app = await files(new Request(new URL('/', request.url), request))
    return app.status === 404 ? notFound() : withSecurityHeaders(app)
  } catch (error) {
    return faultDenial(error)
  }
}

/** Where there is no app, whoever opens the address in a browser finds what can be asked here. */
export const redirectToDocs = (request: Request): Response | Denial =>
  request.method === 'GET' && new URL(request.url).pathname === '/'
    ? new Response(null, { status: 302, headers: { location: publicPath(request, '/docs') } })
    : notFound()

/** As whoever serves files may read it: `//docs` and `/%64ocs` begin like `/docs`. */
export const firstSegment = (path: string): string => decoded(path).split(/[/\\]+/)[1] ?? ''

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A place inside the app, which its own router knows: asked for by a browser, and not like a file. */
const isAppPath = ({ headers }: Request, pathname: string): boolean =>
  /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.get('accept') ?? '') &&
  !(pathname.split('/').at(-1) ?? '').includes('.')

/** The app acts with the operator's token: no other page may frame it, and nothing in it runs that is not its own. */
const SECURITY_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy': [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "style-src 'self' 'unsafe-inline'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** What the files bring along themselves stays. */
const withSecurityHeaders = (response: Response): Response => {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value)
  return new Response(response.body, { status, statusText, headers })
}
