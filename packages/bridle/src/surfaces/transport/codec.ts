// What a client may say: parsed once, whole or not at all, and turned into the session's own commands.

import * as v from 'valibot'
import { type Answer, type Answers, type Command, isRefusal, type Refusal, refuse } from '../../kernel/commands.ts'
import { appendTextOperation, type DeltaOperation } from '../../kernel/delta.ts'
import { isId, keyText } from '../../kernel/event.ts'
import type { SessionService } from '../../kernel/host/host.ts'
import { messageSeq } from '../../kernel/ids.ts'
import { canonicalJson, hashText } from '../../kernel/json.ts'
import { parseEventId } from '../../kernel/positions/log-position.ts'
import type { IdempotencyKey, Session } from '../../kernel/session/session.ts'
import { parseJson } from '../http/requests/json-text.ts'
import { jsonObject, optionalId } from '../http/router/route.ts'
import { seenMessageSchema } from '../http/streams/marks.ts'

/** Commands in one message: more is a mistake or an attack. */
const COMMANDS_MAX = 100

const text = v.string()
const command = <const T extends string, const E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), commandId: optionalId, ...entries })

const commandSchema = v.variant('type', [
  command('submit', { prompt: text }),
  command('cancel', { runId: v.optional(text), queue: v.optional(v.boolean()), reason: v.optional(text) }),
  command('steer', { prompt: text }),
  command('edit', { messageId: text, prompt: text }),
  command('reload', { messageId: v.optional(text) }),
  command('approve', {
    approvalId: text,
    decision: v.picklist(['approved', 'denied']),
    args: v.optional(jsonObject),
    reason: v.optional(text),
  }),
  command('branch', {
    seq: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    fromEventId: v.optional(v.pipe(text, v.regex(/^(ev-)?\d{1,15}(~\d{1,9})?$/, 'Expected an event id'))),
    messageId: v.optional(text),
  }),
  command('pause', {}),
  command('resume', {}),
])
export type ParsedCommand = v.InferOutput<typeof commandSchema>

export const transportMessageSchema = v.variant('type', [
  v.object({ type: v.literal('commands'), commands: v.pipe(v.array(commandSchema), v.maxLength(COMMANDS_MAX)) }),
  v.object({ type: v.literal('ping'), ts: v.optional(v.number()) }),
  seenMessageSchema,
])
export type ParsedMessage = v.InferOutput<typeof transportMessageSchema>

/** What is wrong, and with which command where it has an id. */
export interface MessageProblem {
  readonly problem: string
  readonly commandId?: string
}

/** One bad command spoils the batch: applying half of it is what nobody asked for. */
export const parseTransportMessage = (given: string | null): ParsedMessage | MessageProblem => {
  if (given === null) return { problem: 'Messages are JSON text.' }
  const parsed = parseJson(given, 'message')
  if ('problem' in parsed) return parsed
  const result = v.safeParse(transportMessageSchema, parsed.value)
  if (result.success) return result.output
  const [issue] = result.issues
  return { problem: `${v.getDotPath(issue) ?? 'message'}: ${issue.message}`, ...commandIdOfIssue(issue) }
}

const commandIdOfIssue = ({ path }: v.BaseIssue<unknown>): { commandId?: string } => {
  const command = path?.[1]?.value as { commandId?: unknown } | null | undefined
  return typeof command?.commandId === 'string' && isId(command.commandId) ? { commandId: command.commandId } : {}
}

/** Asks the session. The id and the body without it make one effect and one answer. */
export const performTransportCommand = async (
  said: ParsedCommand,
  session: Session,
  host: SessionService,
  { user, viewer }: { readonly user: string | null; readonly viewer: string | null },
): Promise<Answer | Answers['cancel'] | Refusal> => {
  const { commandId: name, ...body } = said
  const id: IdempotencyKey | null =
    name === undefined ? null : { commandId: name, bodyHash: hashText(canonicalJson(body)) }
  const owner = viewer === null ? {} : { owner: viewer }
  if (said.type === 'branch') return branch(said, session, host, id, owner)
  const makes = said.type === 'submit' || said.type === 'steer'
  const command = { ...body, ...(user !== null && { actor: user }), ...(makes && owner) } as Command
  const outcome = await host.send(session.key, command, id)
  // Nothing runs where nothing ever ran: a cancel has what it wants.
  const isMoot = said.type === 'cancel' && isRefusal(outcome) && outcome.refused === 'session_not_found'
  return isMoot ? { runId: null, cancelled: false } : outcome
}

const branch = async (
  said: ParsedCommand & { type: 'branch' },
  session: Session,
  host: SessionService,
  id: IdempotencyKey | null,
  owner: { readonly owner?: string },
): Promise<Answer | Refusal> => {
  const { key, state } = session
  const named = said.fromEventId === undefined ? null : parseEventId(said.fromEventId)
  // A bare `seq` is of the state that this client has; an id says itself which incarnation it is of.
  if (said.seq === undefined && named && named.incarnation !== session.incarnations.own)
    return refuse('bad_branch_point')
  let seq = said.seq ?? named?.seq ?? state.head
  if (said.messageId !== undefined) {
    const made = messageSeq(said.messageId)
    if (made === null || !state.conversation.messages.some((message) => message.id === said.messageId))
      return refuse('message_not_found')
    seq = made - 1
  }
  const asked = owner.owner === undefined ? keyText(key) : `${keyText(key)} ${owner.owner}`
  const child = id ? `branch-${hashText(`${asked} ${id.commandId}`)}` : `branch-${crypto.randomUUID()}`
  return host.branch(key, seq, child, { ...owner, ...(id && { id }) })
}

export const encodeDelta = (operations: readonly DeltaOperation[], seq: number, prev: number): string => {
  const merged: DeltaOperation[] = []
  for (const operation of operations) appendOperation(merged, operation)
  return JSON.stringify({ type: 'delta', operations: merged, seq, prev })
}

/** Consecutive texts of one place become one operation: under load a delta has one per message, not one per token. */
const appendOperation = (merged: DeltaOperation[], operation: DeltaOperation): void => {
  const last = merged.at(-1)
  const merges = operation.type === 'append-text' && last?.type === 'append-text' && samePath(operation.path, last.path)
  if (merges) merged[merged.length - 1] = appendTextOperation(last.path, last.value + operation.value)
  else merged.push(operation)
}

const samePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, index) => part === b[index])
