// An answer that a middleware made itself, as a step of the log: plain JSON, with ids of ours for its calls.

import { isDeeperThan, present } from '@bridle/events/json'
import * as v from 'valibot'
import {
  CALL_INPUT_DEPTH_MAX,
  ENTRIES_MAX,
  PROVIDER_ID_CHARS_MAX,
  RAW_CHARS_MAX,
  STEP_CHARS_MAX,
  TOOL_NAME_CHARS_MAX,
} from '../../model/limits.ts'
import type { StepContent, Thought } from '../../model/model.ts'
import { FINISHES, type ThinkOptions } from '../../model/think.ts'
import { toPlainJson } from '../../schemas/input.ts'
import { ERROR_CHARS_MAX } from '../../session/limits.ts'

const object = v.record(v.string(), v.any())
const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const tokens = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)))

const thoughtSchema = v.object({
  content: v.pipe(
    v.array(
      v.variant('type', [
        v.object({ type: v.picklist(['text', 'reasoning']), text: v.string(), metadata: v.optional(object) }),
        v.object({
          ...{ type: v.literal('call'), tool: text(TOOL_NAME_CHARS_MAX), input: object, metadata: v.optional(object) },
          provider_id: v.optional(text(PROVIDER_ID_CHARS_MAX)),
          problem: v.optional(text(ERROR_CHARS_MAX)),
          raw: v.optional(text(RAW_CHARS_MAX)),
        }),
        v.object({ type: v.literal('provider'), part: object }),
      ]),
    ),
    v.minLength(1),
    v.maxLength(ENTRIES_MAX),
  ),
  finish: v.optional(v.picklist(FINISHES)),
  usage: v.optional(
    v.object({
      ...{ inputTokens: tokens, outputTokens: tokens, reasoningTokens: tokens },
      ...{ cacheReadTokens: tokens, cacheWriteTokens: tokens },
    }),
    {},
  ),
  contextTokens: tokens,
})

/** Throws where the value is no answer. Its usage stays the very object, so that nobody counts it twice. */
export const checkedThought = (returned: unknown, callId: ThinkOptions['callId']): Thought => {
  const plain = toPlainJson(returned, 'answer of model')
  const checked = v.safeParse(thoughtSchema, plain)
  if (!checked.success)
    throw new TypeError(
      `model returns the answer of next, or { content: [{ type: 'text', text }], finish, usage }: ${v.summarize(checked.issues)}`,
    )
  if (JSON.stringify(plain).length > STEP_CHARS_MAX || isDeeperThan(plain, CALL_INPUT_DEPTH_MAX))
    throw new RangeError(
      `model returned more than ${STEP_CHARS_MAX} characters, or more than ${CALL_INPUT_DEPTH_MAX} levels.`,
    )
  const { content, finish, usage, contextTokens } = checked.output
  const hasCalls = content.some(({ type }) => type === 'call')
  const own = (returned as Partial<Thought>).usage
  const ids = new Set<string>()
  let calls = 0
  const entry = (each: (typeof content)[number]): StepContent => {
    if (each.type !== 'call') return present(each) as StepContent
    calls += 1
    // Calls that come from two answers may have the same id.
    const id = each.provider_id && !ids.has(each.provider_id) ? each.provider_id : `call_${callId(calls)}`
    ids.add(id)
    return present({ ...each, id: callId(calls), provider_id: id }) as StepContent
  }
  return present({
    content: content.filter((each) => !('text' in each) || each.text !== '' || each.metadata !== undefined).map(entry),
    finish: finish ?? (hasCalls ? 'tool-calls' : 'stop'),
    usage: own ?? usage,
    contextTokens,
  }) as Thought
}
