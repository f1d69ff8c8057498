// Handwritten checks: the wire is small, and a schema library would be larger than the client.
import { isJsonObject, type JsonObject } from '@bridle/events/json'
import type { HarnessMessage, HarnessState } from '@bridle/kernel/projections/harness-state'
import type { ServerMessage } from '@bridle/wire/transport/wire'

/** A protocol violation. Neither the client's state nor later messages can be trusted. */
export class ProtocolError extends Error {}

/** Null for an unknown type, which may be ignored. Throws a ProtocolError. */
export const parseServerMessage = (data: unknown): ServerMessage | null => {
  const message = parse(data)
  if (!isJsonObject(message) || typeof message.type !== 'string') throw new ProtocolError('not a message')
  if (!Object.hasOwn(messageChecks, message.type)) return null
  if (!messageChecks[message.type as ServerMessage['type']](message)) throw new ProtocolError(`not a ${message.type}`)
  return message as unknown as ServerMessage
}

/** Checks only what a page needs to render safely. */
export const isState = (value: unknown): value is HarnessState =>
  isJsonObject(value) &&
  typeof value.status === 'string' &&
  Array.isArray(value.messages) &&
  isTextOrNothing(value.error) &&
  isListOrNothing(value.approvals)

export const isMessage = (value: unknown): value is HarnessMessage =>
  isJsonObject(value) &&
  [value.id, value.role, value.content, value.status].every((each) => typeof each === 'string') &&
  isListOrNothing(value.toolCalls) &&
  isListOrNothing(value.parts)

type MessageCheck = (message: JsonObject) => boolean

const messageChecks: { readonly [T in ServerMessage['type']]: MessageCheck } = {
  state: ({ state, seq, incarnation }) =>
    isSeqOrNothing(seq) && isSeqOrNothing(incarnation) && isState(state) && state.messages.every(isMessage),
  delta: ({ operations, seq, prev }) =>
    isSeqOrNothing(seq) && isSeqOrNothing(prev) && Array.isArray(operations) && operations.every(isOperation),
  error: ({ message, commandId }) => typeof message === 'string' && isTextOrNothing(commandId),
  ack: ({ commandId, ok, message, code, answer }) =>
    typeof commandId === 'string' &&
    typeof ok === 'boolean' &&
    isTextOrNothing(message) &&
    isTextOrNothing(code) &&
    (answer === undefined || isJsonObject(answer)),
  pong: () => true,
  mark: ({ seq }) => seq !== undefined && isSeqOrNothing(seq),
}

const parse = (data: unknown): unknown => {
  if (typeof data !== 'string') throw new ProtocolError('not text')
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new ProtocolError('not JSON', { cause })
  }
}

/** `applyOperations` checks the rest. */
const isOperation = (value: unknown): boolean => isJsonObject(value) && Array.isArray(value.path) && 'value' in value

const isListOrNothing = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value)
const isTextOrNothing = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'
const isSeqOrNothing = (value: unknown): boolean =>
  value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)
