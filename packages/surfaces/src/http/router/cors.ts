// Cross-origin headers (CORS), for pages of allowed origins. Any other page gets none, and its browser hides the answer from it.
// The router's middleware is no help here: it copies the response, and a target recognises an event stream by its object.
import { isAllowedOrigin } from '../access/authenticate.ts'

/** A browser asks again after ten minutes what a page of another origin may do: a changed list of origins counts soon. */
const PREFLIGHT_SECONDS = 600

const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'ETag',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Bridle-Session',
  'X-Correlation-ID',
  'X-Fabric-Run-Id',
  'X-Request-ID',
]

export const allowOrigin = (response: Response, request: Request, allowed: readonly string[] = []): Response => {
  const origin = request.headers.get('origin')
  if (origin === null || !isAllowedOrigin(origin, allowed)) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-expose-headers', EXPOSED_HEADERS.join(', '))
  response.headers.append('vary', 'Origin')
  return response
}

/** The answer to a browser's preflight request. `methods` are those of the path; null = no route has this path. */
export const preflight = (request: Request, methods: string | null, allowed?: readonly string[]): Response =>
  allowOrigin(
    new Response(null, {
      status: 204,
      headers: {
        ...(methods !== null && { allow: methods }),
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers':
          'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Prefer, Range, X-Correlation-ID, X-Fabric-Tenant',
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      },
    }),
    request,
    allowed,
  )
