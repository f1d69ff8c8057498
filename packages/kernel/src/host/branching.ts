import { type AnswerTo, type BranchCommand, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { Key } from '../event.ts'
import type { Digest } from '../ports/digest.ts'
import type { BranchParent } from '../ports/log.ts'
import { hasFaultCode } from '../ports/store-fault.ts'
import { withoutFolder } from '../projections/lifecycle.ts'
import { branchRequestRefusal } from '../rules/branch.ts'
import type { IdempotencyKey } from '../session/inbox.ts'
import type { Session } from '../session/session.ts'
import { evict } from './eviction.ts'
import { confirmationRefusal } from './import-confirmation.ts'
import type { LiveSessions, PendingBranch } from './live-sessions.ts'
import type { Removal } from './removal.ts'

interface ChildRequest {
  readonly parent: Key
  readonly seq: number
  readonly childId: string
  readonly command: Omit<BranchCommand, 'type' | 'parent'>
  readonly id: IdempotencyKey | null
  readonly promptsDigest?: string
}

export const branchSession = async (
  { live, removal, digest }: { readonly live: LiveSessions; readonly removal: Removal; readonly digest: Digest },
  { parent, seq, childId, command, id, promptsDigest }: ChildRequest,
): Promise<AnswerTo<BranchCommand> | Refusal> => {
  const source = await live.find(parent)
  const refusal = branchRequestRefusal(source && { id: parent.id, head: source.state.head }, seq, childId)
  if (!source || refusal) return refusal ?? refuse('session_not_found')
  const from: BranchParent = { agent: parent.agent, id: parent.id, seq }
  const child = await openChild(live, { ...parent, id: childId }, { from, source })
  if (!child) return refuse('bad_branch_point')
  // A retry finds the branch that its first attempt created.
  const asked = { ...command, ...(promptsDigest !== undefined && { promptsDigest }) }
  const unconfirmed = child.exists ? null : await confirmationRefusal(source, child.state, asked, digest)
  if (unconfirmed) {
    live.discardUnused(child)
    return unconfirmed
  }
  const conflict = id && (await removal.unlessErased(source, () => reserveBranchId(source, childId, id)))
  const branch: BranchCommand = { type: 'branch', parent: from, ...command, ...importedFields(source, seq, command) }
  const outcome = conflict ?? (await removal.unlessErased(child, () => child.send(branch, id), source))
  if (isRefusal(outcome)) live.discardUnused(child)
  return outcome
}

/** A branch from an imported event gets the settings of the importing session. */
const importedFields = (
  { state: { lifecycle } }: Session,
  seq: number,
  { settings }: ChildRequest['command'],
): Pick<BranchCommand, 'imported' | 'settings'> =>
  seq < lifecycle.claimedSeq ? { imported: true, settings: settings ?? withoutFolder(lifecycle.settings) } : {}

/** Null if the store refuses the branch. */
export const openChild = async (live: LiveSessions, key: Key, branch: PendingBranch): Promise<Session | null> => {
  try {
    const child = await live.open(key, branch)
    if (child.exists || child.parent || !child.quiet) return child
    // Replace a session that only waits for its first event. Its readers reconnect.
    evict(child)
    return await live.open(key, branch)
  } catch (cause) {
    if (hasFaultCode(cause, 'refused')) return null
    throw cause
  }
}

/** The command id is reserved in the parent first: it must have one effect even if retried with another child id. */
const reserveBranchId = async (parent: Session, childId: string, id: IdempotencyKey): Promise<Refusal | null> => {
  const answer = await parent.send({ type: 'promise_branch', childId }, id)
  if (isRefusal(answer)) return answer
  return answer.childId === childId ? null : refuse('command_conflict')
}
