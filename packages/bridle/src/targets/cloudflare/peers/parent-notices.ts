// Notices of a session to the session that started it, which is in another object unless both branched from the same session.

import type { Key } from '../../../kernel/event.ts'
import { type ChildNotice, findParentKey } from '../../../kernel/rules/children/child-notice.ts'
import type { ObjectNamespace } from '../../../stores/object/platform-types.ts'
import type { RemoteDirectory } from '../../../stores/object/remote-directory.ts'
import { noticeRequest } from './forwarded-request.ts'

/** A notice, and the session that it is for. */
export interface ParentNotice {
  readonly parent: Key
  readonly notice: ChildNotice
}

export interface ParentNoticePorts {
  readonly objects: ObjectNamespace
  readonly directory: Pick<RemoteDirectory, 'find' | 'home'>
  readonly home: () => string
  /** Takes a notice for a session of this object. */
  readonly take: (notice: ParentNotice) => Promise<void>
}

/** Rejects when the other object does not answer: the notice stays pending. */
export const createParentNotifier =
  ({ objects, directory, home, take }: ParentNoticePorts) =>
  async (notice: ChildNotice): Promise<void> => {
    const { parentAgent, parentId, child } = notice
    const found = parentAgent === undefined ? await directory.find(child.tenant, parentId) : []
    const parent = findParentKey(found, notice)
    if (!parent) return
    const theirs = await directory.home(parent)
    if (theirs === home()) return take({ parent, notice })
    const answer = await objects.get(objects.idFromName(theirs)).fetch(noticeRequest({ parent, notice }, theirs))
    if (!answer.ok) throw new Error(`The parent's object answered ${answer.status}.`)
  }
