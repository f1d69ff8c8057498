// The history of a turn judges its next call: whether the model walks in circles, or fails at a tool again and again. Pure.
import { canonicalJson, type JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'

/** The third equal call in a row is not made: two may be a retry. */
const REPEATED_CALLS_MAX = 3
/** Refusals of repeated calls that end the turn: the model was told twice. */
const REPEATS_DENIED_MAX = 3
/** Calls in a row whose arguments do not fit: at the third, the tool rests for the turn. */
const INVALID_CALLS_MAX = 3

export interface PastCall {
  readonly call: { readonly tool: string; readonly input: JsonObject }
  readonly outcome: Pick<Payloads['tool_outcome'], 'reason' | 'error'> | null
}

/** Reasons of outcomes that the loop gives to calls that it does not make. */
export const REPEATED = 'repeated'
export const ARGUMENTS_INVALID = 'arguments_invalid'
export const TOOL_RESTS = 'tool_rests'
export const UNKNOWN_TOOL = 'unknown_tool'
export const POLICY_DENIED = 'policy_denied'
export const MIDDLEWARE_DENIED = 'middleware_denied'
export const MIDDLEWARE_FAILED = 'middleware_failed'

/** Whether the calls before this one were the same, so that another one would not help. Malformed arguments are like no others. */
export const isRepeated = (before: readonly PastCall[], { tool, input }: PastCall['call']): boolean => {
  const last = before.slice(1 - REPEATED_CALLS_MAX)
  if (
    last.length < REPEATED_CALLS_MAX - 1 ||
    last.some((past) => past.call.tool !== tool || isRefused(past, ARGUMENTS_INVALID))
  )
    return false
  const text = canonicalJson(input)
  return last.every(({ call }) => canonicalJson(call.input) === text)
}

/** Whether so many calls were refused as repeated that the turn should end. */
export const isLooping = (calls: readonly PastCall[]): boolean =>
  calls.filter((call) => isRefused(call, REPEATED)).length >= REPEATS_DENIED_MAX

/** Whether the model has failed at the tool so often that the tool rests for the turn. */
export const isResting = (before: readonly PastCall[], tool: string): boolean =>
  before.some((past) => past.call.tool === tool && isRefused(past, TOOL_RESTS))

/** Whether arguments that do not fit are one time too many for the tool. */
export const isLastInvalid = (before: readonly PastCall[], tool: string): boolean => {
  const last = before.filter(({ call }) => call.tool === tool).slice(1 - INVALID_CALLS_MAX)
  return last.length === INVALID_CALLS_MAX - 1 && last.every((past) => isRefused(past, ARGUMENTS_INVALID))
}

/** A person who denies a call may give any reason, also one of ours; only the loop's refusals have a sentence beside it. */
const isRefused = ({ outcome }: PastCall, reason: string): boolean =>
  outcome?.reason === reason && outcome.error !== undefined
