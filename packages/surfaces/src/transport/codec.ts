// Parses a message entirely or not at all.

import { appendTextOperation, type DeltaOperation } from '@bridle/kernel/delta'
import { isId } from '@bridle/kernel/event'
import { seenMessageSchema } from '@bridle/wire/http/wire/request-values'
import type { ServerMessage } from '@bridle/wire/transport/wire'
import { commandSchema } from '@bridle/wire/transport/wire/commands'
import * as v from 'valibot'
import { parseJson } from '../http/requests/json-text.ts'

/** A person sends one, a client that was offline a few. More is a bug or an attack. */
const COMMANDS_MAX = 100

export const transportMessageSchema = v.variant('type', [
  v.object({ type: v.literal('commands'), commands: v.pipe(v.array(commandSchema), v.maxLength(COMMANDS_MAX)) }),
  v.object({ type: v.literal('ping'), ts: v.optional(v.number()) }),
  seenMessageSchema,
])
export type ParsedMessage = v.InferOutput<typeof transportMessageSchema>
export type ParsedCommands = ParsedMessage & { type: 'commands' }

/** Includes the id of the faulty command, if it has one. */
export interface MessageProblem {
  readonly problem: string
  readonly commandId?: string
}

/** Null if the message was not text. One bad command refuses the batch: the client meant all of it or nothing. */
export const parseTransportMessage = (text: string | null): ParsedMessage | MessageProblem => {
  if (text === null) return { problem: 'Messages are JSON text.' }
  const parsed = parseJson(text, 'message')
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

export const encodeMessage = (message: ServerMessage): string => JSON.stringify(message)

export const encodeDelta = (operations: readonly DeltaOperation[], seq: number, prev: number): string => {
  const merged: DeltaOperation[] = []
  for (const operation of operations) appendOperation(merged, operation)
  return encodeMessage({ type: 'delta', operations: merged, seq, prev })
}

/** Merges consecutive texts, so that under load a delta has one operation per message instead of one per token. */
const appendOperation = (merged: DeltaOperation[], operation: DeltaOperation): void => {
  const last = merged.at(-1)
  const merges = operation.type === 'append-text' && last?.type === 'append-text' && samePath(operation.path, last.path)
  if (merges) merged[merged.length - 1] = appendTextOperation(last.path, last.value + operation.value)
  else merged.push(operation)
}

const samePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, index) => part === b[index])
