// The kernel owns the types.

import { APPROVAL_DECISIONS, TOOL_STATUSES, toolOutcomeSchema } from '@bridle/events/schemas'
import type { HarnessMessage, HarnessPart, HarnessToolCall } from '@bridle/kernel/projections/harness-state'
import * as v from 'valibot'
import * as f from './fields.ts'
import { answerEntries } from './questions.ts'

const partText = f.text('The text.')
const superseded = f.optional(f.flag('True = a retry of the run replaced it.'))

const partSchema = v.union([
  v.object({ type: v.literal('text'), from: f.count('The place in `content` where the part begins.') }),
  v.object({ type: v.literal('text'), text: partText, superseded: v.literal(true) }),
  v.object({ type: v.literal('reasoning'), text: partText, superseded }),
  v.object({ type: v.literal('tool'), toolCallId: f.text('The tool call.'), superseded }),
  v.object({ type: v.literal('artifact'), artifactId: f.text('The artifact.'), name: f.text('Its name.'), superseded }),
  v.object({ type: v.literal('marker'), kind: f.text('The kind of marker.'), text: partText, superseded }),
]) as unknown as v.GenericSchema<HarnessPart>

const toolCallSchema = f.kernelSchema<HarnessToolCall>('ToolCall', 'A tool call of an answer.', {
  id: f.text("The call's id, unique in its run."),
  name: f.text('The name of the tool.'),
  status: f.oneOf(['running', 'complete', 'error'], 'The status of the call.'),
  arguments: f.optional(f.anyObject('The arguments, as approved where a person changed them.')),
  result: f.optional(f.anyJson('The result, once there is one.')),
  outcome: f.optional(f.oneOf(TOOL_STATUSES, 'The way the call ended.')),
  toolOutcome: f.optional(f.described(toolOutcomeSchema, 'The whole outcome.')),
  error: f.optional(f.text('The reason of a call that failed.')),
  approval: f.optional(
    f.described(
      v.object({
        id: v.string(),
        status: v.picklist(['pending', ...APPROVAL_DECISIONS]),
        ...answerEntries,
      }) as unknown as v.GenericSchema<NonNullable<HarnessToolCall['approval']>>,
      'The approval that the call waits for or has got.',
    ),
  ),
  child: f.optional(
    f.described(
      v.object({ id: v.string(), agent: v.string() }),
      'The session that does the call, if it asks another agent.',
    ),
  ),
  superseded,
})

const placeSchema = v.object({
  seq: f.count('The number of the event.'),
  parts: f.count('How many parts there were.'),
  chars: f.count('How many characters of `content` there were.'),
})

export const messageSchema = f.kernelSchema<HarnessMessage>('Message', 'A message of the conversation.', {
  id: f.text("The message's id."),
  role: f.oneOf(['user', 'assistant'], 'The author.'),
  content: f.text('The text so far.'),
  status: f.oneOf(
    ['pending', 'streaming', 'complete', 'error'],
    'A prompt is pending until its run begins, an answer streams until its run ends.',
  ),
  toolCalls: f.optional(f.described(v.array(toolCallSchema), 'The tool calls of an answer.')),
  parts: f.optional(f.described(v.array(partSchema), 'Text, reasoning and tools in their order.')),
  places: f.optional(f.described(v.array(placeSchema), 'The places of events such as checkpoints, in order.')),
  runId: f.optional(f.text('The run that the message belongs to.')),
  contentLength: f.optional(f.count('The length of a long queued prompt: `content` is its beginning.')),
  input: f.optional(f.anyJson('The whole input of the run, if it is more than the prompt.')),
  spoken: f.optional(f.always(true, 'A prompt that a person said; absent = it was written.')),
  createdAt: f.optional(f.amount('The time in milliseconds since 1970.')),
  stopReason: f.optional(f.text('The reason why an answer ended, where it is not simply complete.')),
  error: f.optional(f.text('The reason of an answer that failed.')),
})
