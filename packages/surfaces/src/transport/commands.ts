import { hashText, present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
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
  /** Absent if the agent is gone. */
  readonly agent?: Pick<AgentInfo, 'accept'>
  /** Absent or null if sessions have no workspaces here. */
  readonly branchWorkspace?: BranchWorkspace | null
}

export type BranchWorkspace = (session: Session, child: Key) => Promise<PreparedWorkspace | Denial | null>

interface InputFault {
  readonly code: 'bad_request'
  readonly message: string
}

/** Idempotent: one id and body have one effect and one answer. */
export const performTransportCommand = async (
  { commandId, ...body }: ParsedCommand,
  session: Session,
  host: SessionService,
  { user, viewer, uploads, agent, branchWorkspace = null }: CommandSender,
): Promise<Answer | Answers['cancel'] | Refusal | InputFault> => {
  const id = commandKey(commandId, body)
  const owner = viewer === null ? {} : { owner: viewer }
  if (body.type === 'branch') return branch(body, session, host, { id, owner, branchWorkspace })
  const mayCreate = body.type === 'submit' || body.type === 'steer'
  const { attachments, model, effort, ...fields } = {
    attachments: undefined,
    model: undefined,
    effort: undefined,
    ...body,
  }
  const prompt = 'prompt' in body ? body.prompt : ''
  const choice = present({ model, effort })
  const hasChoice = Object.keys(choice).length > 0
  const accepted = hasChoice ? await agent?.accept({ prompt, ...choice }) : undefined
  if (accepted && 'problem' in accepted) return { code: 'bad_request', message: accepted.problem }
  const references = await claimUploads({ ports: { uploads }, access: { user } }, session.key, attachments ?? [])
  if ('problem' in references)
    return { code: 'bad_request', message: `attachments.${references.index}.ref_id: ${references.problem}` }
  const hasFiles = references.length > 0
  const input = (hasFiles || hasChoice) && {
    input: { prompt, ...choice, ...(hasFiles && { attachments: references }) },
  }
  const command = { ...fields, ...input, ...(user !== null && { actor: user }), ...(mayCreate && owner) } as Command
  const outcome = await host.send(session.key, command, id)
  // Nothing runs in a session that does not exist, so a cancel has already succeeded.
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
  // Deterministic, so that a repeated command names the same child, even after a restart.
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
  // A bare `seq` refers to this client's state; an event id names its incarnation.
  if (seq === undefined && event && event.incarnation !== incarnations.own) return refuse('bad_branch_point')
  if (messageId === undefined) return seq ?? event?.seq ?? state.head
  const madeBy = messageSeq(messageId)
  const isShown = state.conversation.messages.some((message) => message.id === messageId)
  return madeBy === null || !isShown ? refuse('message_not_found') : madeBy - 1
}
