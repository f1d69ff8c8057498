import type { Key } from '@bridle/kernel/event'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { Denial } from '@bridle/surfaces/http/denials/denial'

/** A paid plan allows 1,000 subrequests, and the directory needs some of them. */
const OBJECT_REQUESTS_MAX = 900

export interface TreeObjects {
  /** The object that has the session, or would have it. */
  home(key: Key): Promise<string>
  /** Forwards the caller's access. Rejects if the object does not answer. */
  ask(home: string, request: Request, access: Access, headers: { readonly [name: string]: string }): Promise<Response>
}

/** The platform aborts a request with too many subrequests in mid-response, so refuse it up front. */
export const tooManyTrees = (requests: number): Denial | null =>
  requests <= OBJECT_REQUESTS_MAX
    ? null
    : new Denial(
        'bad_request',
        `The file needs ${requests} requests to the objects of its sessions, and an answer has at most ${OBJECT_REQUESTS_MAX}. Name a filter, such as agent or changed_since, or use a smaller file.`,
      )

export const treesMoved = (): Denial =>
  new Denial('unavailable', 'An object of the sessions moved; try again.', { 'retry-after': '1' })
