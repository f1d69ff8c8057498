// What the gateway tells an object beside the request itself. The object is reached through the gateway alone, and
// whatever a caller says under these names is taken away there.
import type { Access, Door } from '../../surfaces/http/access.ts'

const ACCESS = 'x-bridle-access'
const HOME = 'x-bridle-home'
/** Checked at the gateway, and none of the object's business. */
const STRIPPED = ['authorization', 'cookie', 'origin', ACCESS, HOME]

export const passedOn = (request: Request, access: Access, home: string): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  headers.set(ACCESS, encodeURIComponent(JSON.stringify(access)))
  headers.set(HOME, encodeURIComponent(home))
  return new Request(request, { headers })
}

export const homeIn = ({ headers }: Request): string => decodeURIComponent(headers.get(HOME) ?? '')

/** Lets in whom the gateway let in. */
export const gatewaysDoor: Door = {
  admit: async ({ headers }) => JSON.parse(decodeURIComponent(headers.get(ACCESS) ?? 'null')) as Access,
}
