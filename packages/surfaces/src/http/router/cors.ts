// The router's own CORS middleware copies the response, but targets recognize event streams by object identity.
import { isAllowedOrigin } from '../access/authenticate.ts'

/** Short, so that a changed list of origins takes effect soon. */
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
