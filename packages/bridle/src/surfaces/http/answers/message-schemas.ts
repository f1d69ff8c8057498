// The messages of a conversation, with their parts and tool calls.
import * as v from 'valibot'
import type { HarnessMessage, HarnessPart, HarnessToolCall } from '../../../kernel/projections/harness-state.ts'
import { APPROVAL_DECISIONS, TOOL_STATUSES, toolOutcomeSchema } from '../../../kernel/schemas.ts'
import { amount, answerSchema, anyJson, anyObject, count, flag, text } from './answer-schema.ts'

const superseded = v.optional(flag)

const partSchema = v.union([
  v.object({ type: v.literal('text'), from: count }),
  v.object({ type: v.literal('text'), text, superseded: v.literal(true) }),
  v.object({ type: v.literal('reasoning'), text, superseded }),
  v.object({ type: v.literal('tool'), toolCallId: text, superseded }),
  v.object({ type: v.literal('artifact'), artifactId: text, name: text, superseded }),
  v.object({ type: v.literal('marker'), kind: text, text, superseded }),
]) as unknown as v.GenericSchema<HarnessPart>

const toolCallSchema = answerSchema<HarnessToolCall>('ToolCall', {
  id: text,
  name: text,
  status: v.picklist(['running', 'complete', 'error']),
  arguments: v.optional(anyObject),
  result: v.optional(anyJson),
  outcome: v.optional(v.picklist(TOOL_STATUSES)),
  toolOutcome: v.optional(toolOutcomeSchema),
  error: v.optional(text),
  approval: v.optional(v.object({ id: text, status: v.picklist(['pending', ...APPROVAL_DECISIONS]) })),
  child: v.optional(v.object({ id: text, agent: text })),
  superseded,
})

export const messageSchema = answerSchema<HarnessMessage>('Message', {
  id: text,
  role: v.picklist(['user', 'assistant']),
  content: text,
  status: v.picklist(['pending', 'streaming', 'complete', 'error']),
  toolCalls: v.optional(v.array(toolCallSchema)),
  parts: v.optional(v.array(partSchema)),
  places: v.optional(v.array(v.object({ seq: count, parts: count, chars: count }))),
  runId: v.optional(text),
  contentLength: v.optional(count),
  input: v.optional(anyJson),
  spoken: v.optional(v.literal(true)),
  createdAt: v.optional(amount),
  stopReason: v.optional(text),
  error: v.optional(text),
})

export const messageExamples: readonly HarnessMessage[] = [
  { id: 'm-2', role: 'user', content: 'What is in this folder?', status: 'complete', runId: 'r-2' },
  { id: 'a-3', role: 'assistant', content: 'Two files.', status: 'complete', runId: 'r-2' },
]
