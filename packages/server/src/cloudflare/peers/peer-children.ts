// Sessions start, read and cancel their children in other objects, and children notify their parents.
import type { AnswerTo, ApproveCommand, Refusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import {
  answerChild,
  type ChildAnswer,
  cancelChild,
  childResult,
  ownerOfParent,
  startChild,
} from '@bridle/kernel/host/child-sessions'
import type { Host } from '@bridle/kernel/host/host'
import type { ChildResult, ChildSessions, ChildStart } from '@bridle/kernel/ports/child-sessions'
import { type ChildNotice, findParentKey } from '@bridle/kernel/rules/children/child-notice'
import { childRequest, fetchObject, noticeRequest, type PeerObjects } from './forwarded-request.ts'

export type ChildRequest =
  | { readonly type: 'start'; readonly child: ChildStart; readonly owner: string | null }
  | { readonly type: 'result'; readonly child: Key }
  | { readonly type: 'cancel'; readonly child: Key; readonly parent: Key }
  | ({ readonly type: 'answer' } & ChildAnswer)

export interface PeerChildren extends ChildSessions {
  cancel(child: Key, parent: Key): Promise<boolean>
  answer(answer: ChildAnswer): Promise<AnswerTo<ApproveCommand> | Refusal>
}

export const peerChildren = ({ objects, directory, home }: PeerObjects, host: () => Host): PeerChildren => {
  const ask = async (key: Key, request: ChildRequest): Promise<unknown> => {
    const theirs = await directory.home(key)
    if (theirs === home()) return answerChildRequest(host(), request)
    const answer = await fetchObject(objects, theirs, childRequest(request, theirs))
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
    answer: async (answer) =>
      (await ask(answer.child, { type: 'answer', ...answer })) as AnswerTo<ApproveCommand> | Refusal,
  }
}

export const answerChildRequest = (
  host: Host,
  request: ChildRequest,
): Promise<string | null | ChildResult | boolean | AnswerTo<ApproveCommand> | Refusal> => {
  switch (request.type) {
    case 'start':
      return startChild(host, request.child, request.owner)
    case 'result':
      return childResult(host, request.child)
    case 'cancel':
      return cancelChild(host, request.child, request.parent)
    case 'answer':
      return answerChild(host, request)
  }
}

export interface ParentNotice {
  readonly parent: Key
  readonly notice: ChildNotice
}

/** `take` delivers to a session of this object. Rejects if another object does not answer: the notice then stays pending. */
export const createParentNotifier =
  ({ objects, directory, home }: PeerObjects, take: (notice: ParentNotice) => Promise<void>) =>
  async (notice: ChildNotice): Promise<void> => {
    const { parentAgent, parentId, child } = notice
    const found = parentAgent === undefined ? await directory.find(child.tenant, parentId) : []
    const parent = findParentKey(found, notice)
    if (!parent) return
    const theirs = await directory.home(parent)
    if (theirs === home()) return take({ parent, notice })
    const answer = await fetchObject(objects, theirs, noticeRequest({ parent, notice }, theirs))
    if (!answer.ok) throw new Error(`The parent's object answered ${answer.status}.`)
  }
