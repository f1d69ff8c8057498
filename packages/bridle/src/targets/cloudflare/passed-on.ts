// What the gateway tells an object beside the request itself. The object is reached through the gateway alone, and
// whatever a caller says under these names is taken away there.
import type { Access, Door } from '../../surfaces/http/access.ts'
import type { Claim } from './credentials.ts'

const ACCESS = 'x-bridle-access'
const HOME = 'x-bridle-home'
const ORIGIN = 'x-bridle-origin'
const CLAIM = 'x-bridle-claim'
/** Checked at the gateway, and none of the object's business. */
const STRIPPED = ['authorization', 'cookie', 'origin', ACCESS, HOME, ORIGIN, CLAIM]

export const passedOn = (request: Request, access: Access, home: string): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  headers.set(ACCESS, encodeURIComponent(JSON.stringify(access)))
  headers.set(HOME, encodeURIComponent(home))
  headers.set(ORIGIN, new URL(request.url).origin)
  return new Request(request, { headers })
}

/** A run's request to its provider. */
export const claimed = (request: Request, claim: Claim): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  headers.set(CLAIM, encodeURIComponent(JSON.stringify(claim)))
  headers.set(HOME, encodeURIComponent(claim.home))
  return new Request(request, { headers })
}

export const claimIn = ({ headers }: Request): Claim | null =>
  JSON.parse(decodeURIComponent(headers.get(CLAIM) ?? 'null')) as Claim | null

export const originIn = ({ headers }: Request): string => headers.get(ORIGIN) ?? ''

export const homeIn = ({ headers }: Request): string => decodeURIComponent(headers.get(HOME) ?? '')

/** Lets in whom the gateway let in. */
export const gatewaysDoor: Door = {
  admit: async ({ headers }) => JSON.parse(decodeURIComponent(headers.get(ACCESS) ?? 'null')) as Access,
}
