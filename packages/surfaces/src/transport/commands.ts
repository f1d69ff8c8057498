// A client's commands, as the session's own.

import { hashText } from '@bridle/events/json'
import { type Answer, type Answers, type Command, isRefusal, type Refusal, refuse } from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import { messageSeq } from '@bridle/kernel/ids'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import { parseEventId } from '@bridle/kernel/positions/log-position'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import type { Session } from '@bridle/kernel/session/session'
import type { ParsedCommand } from '@bridle/wire/transport/wire/commands'
import { type Denial, isDenial } from '../http/denials/denial.ts'
import { commandKey } from '../http/requests/command-id.ts'
import { claimUploads } from '../http/uploads/claim.ts'
import type { PreparedWorkspace } from '../http/workspaces/session-workspace.ts'

interface CommandSender {
  readonly user: string | null
  readonly viewer: string | null
  readonly uploads: Uploads | undefined
  /** Prepares the workspace of a branch; absent or null = sessions have none here. */
  readonly branchWorkspace?: BranchWorkspace | null
}

/** The workspace of a branch, from that of its parent; null = the parent has none. */
export type BranchWorkspace = (session: Session, child: Key) => Promise<PreparedWorkspace | Denial | null>

/** A file or a folder that may not be used, as the client hears of it. */
interface InputFault {
  readonly code: 'bad_request'
  readonly message: string
}

/** The command's id and its body without the id make one effect and one answer, however often the client sends them. */
export const performTransportCommand = async (
  { commandId, ...body }: ParsedCommand,
  session: Session,
  host: SessionService,
  { user, viewer, uploads, branchWorkspace = null }: CommandSender,
): Promise<Answer | Answers['cancel'] | Refusal | InputFault> => {
  const id = commandKey(commandId, body)
  const owner = viewer === null ? {} : { owner: viewer }
  if (body.type === 'branch') return branch(body, session, host, { id, owner, branchWorkspace })
  const mayCreate = body.type === 'submit' || body.type === 'steer'
  const { attachments, ...fields } = { attachments: undefined, ...body }
  const references = await claimUploads({ ports: { uploads }, access: { user } }, session.key, attachments ?? [])
  if ('problem' in references)
    return { code: 'bad_request', message: `attachments.${references.index}.ref_id: ${references.problem}` }
  const input = references.length > 0 && 'prompt' in body && { input: { prompt: body.prompt, attachments: references } }
  const command = { ...fields, ...input, ...(user !== null && { actor: user }), ...(mayCreate && owner) } as Command
  const outcome = await host.send(session.key, command, id)
  // Nothing runs in a session that does not exist: a cancel has its effect already.
  const isMoot = body.type === 'cancel' && isRefusal(outcome) && outcome.refused === 'session_not_found'
  return isMoot ? { runId: null, cancelled: false } : outcome
}

const branch = async (
  command: Omit<ParsedCommand & { type: 'branch' }, 'commandId'>,
  session: Session,
  host: SessionService,
  {
    id,
    owner,
    branchWorkspace,
  }: {
    readonly id: IdempotencyKey | null
    readonly owner: { readonly owner?: string }
    readonly branchWorkspace: BranchWorkspace | null
  },
): Promise<Answer | Refusal | InputFault> => {
  const { key } = session
  const seq = branchSeq(command, session)
  if (typeof seq !== 'number') return seq
  // The same command of the same user must name the same new session, also after a restart.
  const requester = owner.owner === undefined ? keyText(key) : `${keyText(key)} ${owner.owner}`
  const childId = id ? `branch-${hashText(`${requester} ${id.commandId}`)}` : `branch-${crypto.randomUUID()}`
  const child = { ...key, id: childId }
  const isNew = (await host.find(child)) === null
  const prepared = isNew ? ((await branchWorkspace?.(session, child)) ?? null) : null
  if (isDenial(prepared)) return { code: 'bad_request', message: prepared.message }
  const answer = await host.branch(key, seq, childId, {
    ...owner,
    ...(id && { id }),
    ...(prepared && { settings: prepared.settings, artifacts: prepared.artifacts }),
  })
  if (isRefusal(answer)) await prepared?.discard?.()
  return answer
}

const branchSeq = (
  { seq, fromEventId, messageId }: Omit<ParsedCommand & { type: 'branch' }, 'commandId'>,
  { state, incarnations }: Session,
): number | Refusal => {
  const event = fromEventId === undefined ? null : parseEventId(fromEventId)
  // A bare `seq` belongs to the state that this client has; an event id names its incarnation.
  if (seq === undefined && event && event.incarnation !== incarnations.own) return refuse('bad_branch_point')
  if (messageId === undefined) return seq ?? event?.seq ?? state.head
  const madeBy = messageSeq(messageId)
  const isShown = state.conversation.messages.some((message) => message.id === messageId)
  return madeBy === null || !isShown ? refuse('message_not_found') : madeBy - 1
}
