// The functions of middleware around a call: `before` may change its arguments or refuse it, `after` may replace its result. Each
// decision is in the log in one write with the beginning, or the outcome, of its call, so that nobody makes it twice.

import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { ToolEffect } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { truncate } from '@bridle/kernel/text/truncate'
import type { MiddlewareCall, MiddlewareTurn } from '../../middleware/middleware.ts'
import { hookEventItem, runHook } from '../../middleware/running.ts'
import { CALL_INPUT_CHARS_MAX, CALL_INPUT_DEPTH_MAX } from '../../model/limits.ts'
import { toPlainJson } from '../../schemas/input.ts'
import { ERROR_CHARS_MAX } from '../../session/limits.ts'
import type { LoopRun } from '../loop-run.ts'
import type { CallRefusal } from './call-checks.ts'
import { MIDDLEWARE_DENIED, MIDDLEWARE_FAILED } from './call-history.ts'
import type { CallName } from './call-items.ts'
import { resultOf } from './tool-result.ts'

export interface HookCall extends CallName {
  readonly args: JsonObject
  readonly effect: ToolEffect
}

export interface BeforeDecision {
  /** The reports of the decision: they belong into the write with which the call begins, or is refused. */
  readonly items: readonly ReportItem[]
  readonly args: JsonObject
  readonly refusal?: CallRefusal
}

/** Asks each middleware in its order; each one sees the arguments that the one before it returned. A refusal is final. */
export const decideBefore = async (run: LoopRun, call: HookCall): Promise<BeforeDecision> => {
  const items: ReportItem[] = []
  const details = { tool_call_id: call.id }
  let { args } = call
  for (const middleware of run.definition.use) {
    const { name } = middleware
    if (!middleware.before) continue
    const result = await runHook(
      run,
      middleware,
      'before',
      async (turn) => changeOf(await middleware.before?.(hookCall(turn, { ...call, args }))),
      details,
    )
    items.push(...result.items)
    if ('problem' in result)
      return { items, args, refusal: { status: 'denied', reason: MIDDLEWARE_FAILED, error: result.problem } }
    const change = result.value
    if (change === null) continue
    if ('deny' in change) {
      const error = truncate(change.deny, ERROR_CHARS_MAX)
      items.push(hookEventItem(name, 'before', 'denied', { ...details, reason: error }))
      return { items, args, refusal: { status: 'denied', reason: MIDDLEWARE_DENIED, error } }
    }
    items.push(hookEventItem(name, 'before', 'changed', details))
    args = change.input
  }
  return { items, args }
}

export type AfterDecision = { readonly items: readonly ReportItem[] } & (
  | { readonly result: Json }
  | { readonly problem: string }
)

/** Gives the result to each middleware in its order. One that fails withholds the result: it may be there to remove secrets. */
export const decideAfter = async (run: LoopRun, call: HookCall, returned: Json): Promise<AfterDecision> => {
  const items: ReportItem[] = []
  const details = { tool_call_id: call.id }
  let result = returned
  for (const middleware of run.definition.use) {
    if (!middleware.after) continue
    const replaced = await runHook(
      run,
      middleware,
      'after',
      async (turn) => {
        const value: unknown = await middleware.after?.(hookCall(turn, call), structuredClone(result))
        return value === undefined ? null : { value: checkedResult(call.tool, value) }
      },
      details,
    )
    items.push(...replaced.items)
    if ('problem' in replaced)
      return {
        items,
        problem: `The call was made, but its result is withheld, since the middleware ${replaced.problem}`,
      }
    if (replaced.value === null) continue
    result = replaced.value.value
    items.push(hookEventItem(middleware.name, 'after', 'replaced', details))
  }
  return { items, result }
}

const hookCall = (turn: MiddlewareTurn, { id, tool, args, effect }: HookCall): MiddlewareCall => ({
  ...turn,
  ...{ callId: id, tool, effect },
  // The function may change its own copy.
  input: structuredClone(args),
})

/** Null: the middleware has nothing to say. Throws where it returns something else than a change. */
const changeOf = (returned: unknown): { readonly input: JsonObject } | { readonly deny: string } | null => {
  if (returned === undefined || returned === null) return null
  const { input, deny } = returned as { readonly input?: unknown; readonly deny?: unknown }
  if (typeof deny === 'string') return { deny }
  const plain = input === undefined ? null : toPlainJson(input, 'input')
  if (!isJsonObject(plain))
    throw new TypeError('before returns { input } with an object, { deny } with a text, or nothing.')
  if (JSON.stringify(plain).length > CALL_INPUT_CHARS_MAX || isDeeperThan(plain, CALL_INPUT_DEPTH_MAX))
    throw new RangeError(
      `before returned arguments of more than ${CALL_INPUT_CHARS_MAX} characters, or ${CALL_INPUT_DEPTH_MAX} levels.`,
    )
  return { input: plain }
}

const checkedResult = (tool: string, value: unknown): Json => {
  const result = resultOf(tool, value)
  if ('problem' in result) throw new TypeError(result.problem)
  return result.value
}
