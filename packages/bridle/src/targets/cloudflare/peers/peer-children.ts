// Child sessions of other objects: a session starts them, asks for their results, and cancels them, object to object.
import type { Key } from '../../../kernel/event.ts'
import { cancelChild, childResult, ownerOfParent, startChild } from '../../../kernel/host/child-sessions.ts'
import type { Host } from '../../../kernel/host/host.ts'
import type { ChildResult, ChildSessions, ChildStart } from '../../../kernel/ports/child-sessions.ts'
import type { ObjectNamespace } from '../../../stores/object/platform-types.ts'
import type { RemoteDirectory } from '../../../stores/object/remote-directory.ts'
import { childRequest } from './forwarded-request.ts'

/** A request of a session about one of its children. */
export type ChildRequest =
  | { readonly type: 'start'; readonly child: ChildStart; readonly owner: string | null }
  | { readonly type: 'result'; readonly child: Key }
  | { readonly type: 'cancel'; readonly child: Key; readonly parent: Key }

export interface PeerChildPorts {
  readonly objects: ObjectNamespace
  readonly directory: Pick<RemoteDirectory, 'home'>
  readonly home: () => string
  readonly host: () => Host
}

export interface PeerChildren extends ChildSessions {
  /** False: the parent has no such child. */
  cancel(child: Key, parent: Key): Promise<boolean>
}

/** Rejects when the other object does not answer. */
export const peerChildren = ({ objects, directory, home, host }: PeerChildPorts): PeerChildren => {
  const ask = async (key: Key, request: ChildRequest): Promise<unknown> => {
    const theirs = await directory.home(key)
    if (theirs === home()) return answerChildRequest(host(), request)
    const answer = await objects.get(objects.idFromName(theirs)).fetch(childRequest(request, theirs))
    if (!answer.ok) throw new Error(`The object of "${key.id}" answered ${answer.status}.`)
    return answer.json()
  }
  return {
    start: async (child) => {
      const owner = await ownerOfParent(host(), child.parent)
      return (await ask(child.child, { type: 'start', child, owner })) as string | null
    },
    result: async (child) => (await ask(child, { type: 'result', child })) as ChildResult,
    cancel: async (child, parent) => (await ask(child, { type: 'cancel', child, parent })) as boolean,
  }
}

/** The answer of the object that has the child. */
export const answerChildRequest = (
  host: Host,
  request: ChildRequest,
): Promise<string | null | ChildResult | boolean> => {
  if (request.type === 'start') return startChild(host, request.child, request.owner)
  return request.type === 'result' ? childResult(host, request.child) : cancelChild(host, request.child, request.parent)
}
