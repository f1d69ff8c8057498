// Headers of requests that the gateway forwards. Only the gateway reaches an object, and it removes them from callers' requests.
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
/** Headers that the gateway has checked, and that the object must not see. */
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

/** The objects of other sessions, as one object reaches them. */
export interface PeerObjects {
  readonly objects: ObjectNamespace
  readonly directory: RemoteDirectory
  /** The name of this object. */
  readonly home: () => string
}

export const fetchObject = (objects: ObjectNamespace, name: string, request: Request): Promise<Response> =>
  objects.get(objects.idFromName(name)).fetch(request)

/** The access of an object that asks another one about a session. */
export const observerOf = ({ tenant }: Key): Access => ({
  tenant,
  scopes: ['observe'],
  sessionId: null,
  user: null,
  who: '',
})

/** A run's request to its provider. */
export const forwardWithClaim = (request: Request, claim: CredentialClaim): Request => {
  const headers = new Headers(request.headers)
  for (const name of STRIPPED) headers.delete(name)
  headers.set(CLAIM, encodeURIComponent(JSON.stringify(claim)))
  headers.set(HOME, encodeURIComponent(claim.home))
  return new Request(request, { headers })
}

export const forwardedClaim = ({ headers }: Request): CredentialClaim | null =>
  JSON.parse(decodeURIComponent(headers.get(CLAIM) ?? 'null')) as CredentialClaim | null

/** A session's notice to the session that started it, which is in another object. Approvals have no place in a header. */
export const noticeRequest = (notice: ParentNotice, home: string): Request => {
  const headers = { [NOTICE]: 'child', [HOME]: encodeURIComponent(home) }
  return new Request('https://session/', { method: 'POST', headers, body: JSON.stringify(notice) })
}

export const forwardedNotice = async (request: Request): Promise<ParentNotice | null> =>
  request.headers.has(NOTICE) ? ((await request.json()) as ParentNotice) : null

/** A session's request about one of its children, which is in another object. A task has no place in a header. */
export const childRequest = (request: ChildRequest, home: string): Request => {
  const headers = { [CHILD]: request.type, [HOME]: encodeURIComponent(home) }
  return new Request('https://session/', { method: 'POST', headers, body: JSON.stringify(request) })
}

export const forwardedChildRequest = async (request: Request): Promise<ChildRequest | null> =>
  request.headers.has(CHILD) ? ((await request.json()) as ChildRequest) : null

export const forwardedOrigin = ({ headers }: Request): string => headers.get(ORIGIN) ?? ''

export const forwardedHome = ({ headers }: Request): string => decodeURIComponent(headers.get(HOME) ?? '')

/** Accepts the access that the gateway has granted. */
export const forwardedAccess: Authenticator = {
  authenticate: async ({ headers }) => JSON.parse(decodeURIComponent(headers.get(ACCESS) ?? 'null')) as Access,
}
