// The ids that the kernel makes. Each holds the sequence number of the event that made its thing, so it is unique in the
// session and its event is found without a search. Wires and logs show these texts: their format never changes.
import { type JsonObject, omit } from '@bridle/events/json'

export const runIdOf = (seq: number): string => `r-${seq}`
export const messageIdOf = (seq: number): string => `m-${seq}`
export const approvalIdOf = (seq: number): string => `apr-${seq}`
/** The id of another session's approval, for the sessions above that one. No approval of a session's own has a colon in its id. */
export const childApprovalIdOf = (sessionId: string, approvalId: string): string => `${sessionId}:${approvalId}`

/** The number of the prompt that the run answers; null when the text is not the id of a run. */
export const runSeq = (runId: string): number | null => seqIn(/^r-(\d{1,15})$/, runId)

/** The number of the event that made the message; null when the text is not the id of a message that a command made. */
export const messageSeq = (messageId: string): number | null => seqIn(/^m-(\d{1,15})$/, messageId)

/** The number in an event id as the log writes it, without an incarnation; `parseEventId` reads what a client sends. */
export const eventSeq = (eventId: string): number | null => seqIn(/^ev-(\d{1,15})$/, eventId)

const seqIn = (format: RegExp, id: string): number | null => {
  const digits = format.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The log repeats the id of a call among its arguments, as the frontend contract has it. No tool knows that name. */
const CALL_ID = '_tool_call_id'

export const withCallId = (args: JsonObject, toolCallId: string): JsonObject => ({ ...args, [CALL_ID]: toolCallId })
export const withoutCallId = (args: JsonObject): JsonObject => omit(args, CALL_ID)
