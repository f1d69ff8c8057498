// The objects that have the trees of branches, as files of several sessions need them.
import type { Key } from '@bridle/kernel/event'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { Denial } from '@bridle/surfaces/http/denials/denial'

/** Objects that one request asks for a file: a paid plan allows 1,000 requests to others, and the directory is asked, too. */
const OBJECT_REQUESTS_MAX = 900

export interface TreeObjects {
  /** The name of the object that has a session, or would have it. */
  home(key: Key): Promise<string>
  /** Asks an object in the name of the caller. Rejects when the object does not answer. */
  ask(home: string, request: Request, access: Access, headers: { readonly [name: string]: string }): Promise<Response>
}

/** The platform ends a request that asks too many objects, in the middle of its answer: such a request is not begun. */
export const tooManyTrees = (requests: number): Denial | null =>
  requests <= OBJECT_REQUESTS_MAX
    ? null
    : new Denial(
        'bad_request',
        `The file needs ${requests} requests to the objects of its sessions, and an answer has at most ${OBJECT_REQUESTS_MAX}. Name a filter, such as agent or changed_since, or use a smaller file.`,
      )

export const treesMoved = (): Denial =>
  new Denial('unavailable', 'An object of the sessions moved; try again.', { 'retry-after': '1' })
