// Headers of forwarded requests. Only the gateway can reach an object, and it strips them from callers' requests.
import type { Key } from '@bridle/kernel/event'
import type { ObjectNamespace } from '@bridle/stores/object/platform-types'
import type { RemoteDirectory } from '@bridle/stores/object/remote-directory'
import type { Access, Authenticator } from '@bridle/surfaces/http/access/authenticate'
import { FILE_HEADER, TREE_HEADER } from '@bridle/surfaces/http/history/tree-files'
import type { CredentialClaim } from '../credentials/credential-proxy.ts'
import type { ChildRequest, ParentNotice } from './peer-children.ts'

const ACCESS = 'x-bridle-access'
const HOME = 'x-bridle-home'
const ORIGIN = 'x-bridle-origin'
const CLAIM = 'x-bridle-claim'
const NOTICE = 'x-bridle-notice'
const CHILD = 'x-bridle-child'
/** Already checked by the gateway, and hidden from the object. */
const STRIPPED = [
  ...['authorization', 'cookie', 'origin', ACCESS, HOME, ORIGIN, CLAIM, NOTICE, CHILD],
  ...[TREE_HEADER, FILE_HEADER],
]

export const forwardToObject = (
  request: Request,
  access: Access,
  home: string,
  further: { readonly [name: string]: string } = {},
): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  for (const [name, value] of Object.entries(further)) headers.set(name, value)
  headers.set(ACCESS, encodeURIComponent(JSON.stringify(access)))
  headers.set(HOME, encodeURIComponent(home))
  headers.set(ORIGIN, new URL(request.url).origin)
  return new Request(request, { headers })
}

export interface PeerObjects {
  readonly objects: ObjectNamespace
  readonly directory: RemoteDirectory
  readonly home: () => string
}

export const fetchObject = (objects: ObjectNamespace, name: string, request: Request): Promise<Response> =>
  objects.get(objects.idFromName(name)).fetch(request)

export const observerOf = ({ tenant }: Key): Access => ({
  tenant,
  scopes: ['observe'],
  sessionId: null,
  user: null,
  who: '',
})

export const forwardWithClaim = (request: Request, claim: CredentialClaim): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  headers.set(CLAIM, encodeURIComponent(JSON.stringify(claim)))
  headers.set(HOME, encodeURIComponent(claim.home))
  return new Request(request, { headers })
}

export const forwardedClaim = ({ headers }: Request): CredentialClaim | null =>
  JSON.parse(decodeURIComponent(headers.get(CLAIM) ?? 'null')) as CredentialClaim | null

/** Notifies the parent session in another object. Uses the body, because approvals do not fit into a header. */
export const noticeRequest = (notice: ParentNotice, home: string): Request => {
  const headers = { [NOTICE]: 'child', [HOME]: encodeURIComponent(home) }
  return new Request('https://session/', { method: 'POST', headers, body: JSON.stringify(notice) })
}

export const forwardedNotice = async (request: Request): Promise<ParentNotice | null> =>
  request.headers.has(NOTICE) ? ((await request.json()) as ParentNotice) : null

/** Controls a child session in another object. Uses the body, because a task does not fit into a header. */
export const childRequest = (request: ChildRequest, home: string): Request => {
  const headers = { [CHILD]: request.type, [HOME]: encodeURIComponent(home) }
  return new Request('https://session/', { method: 'POST', headers, body: JSON.stringify(request) })
}

export const forwardedChildRequest = async (request: Request): Promise<ChildRequest | null> =>
  request.headers.has(CHILD) ? ((await request.json()) as ChildRequest) : null

export const forwardedOrigin = ({ headers }: Request): string => headers.get(ORIGIN) ?? ''

export const forwardedHome = ({ headers }: Request): string => decodeURIComponent(headers.get(HOME) ?? '')

export const forwardedAccess: Authenticator = {
  authenticate: async ({ headers }) => JSON.parse(decodeURIComponent(headers.get(ACCESS) ?? 'null')) as Access,
}
