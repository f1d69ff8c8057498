// Ids contain the number of the event that created their subject. Wires and logs contain them, so the format never changes.
import { type JsonObject, omit } from '@bridle/events/json'

export const runIdOf = (seq: number): string => `r-${seq}`
export const messageIdOf = (seq: number): string => `m-${seq}`
export const approvalIdOf = (seq: number): string => `apr-${seq}`
/** How ancestors of a session refer to its approvals. Only these ids contain a colon. */
export const childApprovalIdOf = (sessionId: string, approvalId: string): string => `${sessionId}:${approvalId}`

/** The sequence number of the run's prompt. */
export const runSeq = (runId: string): number | null => seqIn(/^r-(\d{1,15})$/, runId)

/** Null for messages that no command created. */
export const messageSeq = (messageId: string): number | null => seqIn(/^m-(\d{1,15})$/, messageId)

/** Accepts ids from the log only, without an incarnation. For client input use `parseEventId`. */
export const eventSeq = (eventId: string): number | null => seqIn(/^ev-(\d{1,15})$/, eventId)

const seqIn = (format: RegExp, id: string): number | null => {
  const digits = format.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The frontend contract repeats the call id among the arguments. No tool uses that name. */
const CALL_ID = '_tool_call_id'

export const withCallId = (args: JsonObject, toolCallId: string): JsonObject => ({ ...args, [CALL_ID]: toolCallId })
export const withoutCallId = (args: JsonObject): JsonObject => omit(args, CALL_ID)
