// Messages for the model: prompts, answers and the outcomes of calls, in the provider interface.

import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import { BRANCHED } from '@bridle/kernel/event'
import {
  assistantParts,
  type ModelMessage,
  type ModelToolOutput,
  type ModelToolResultPart,
  type StepCall,
  type StepContent,
} from '../../model/model.ts'
import type { CallName } from '../calls/call-items.ts'

/** A call of the model with everything that the log says about it. */
export interface CallView {
  readonly call: StepCall
  /** The provider's id, unique in the conversation. */
  providerId: string
  outcome: Payloads['tool_outcome'] | null
  /** The tool and the arguments with which the call began, where they are not the model's: middleware changed them, or a repair. */
  begun: { readonly tool: string; readonly args: JsonObject } | null
  /** The arguments with which a person approved the call, where the person changed them. */
  edited: JsonObject | null
  /** The two ends of a result that became an artifact. */
  excerpt: string | null
}

/** The arguments of the call, as the log has them: nobody decides about them again. */
export const argumentsOf = ({ call, begun, edited }: CallView): JsonObject => edited ?? begun?.args ?? call.input

/** The name of the tool that the call is made with: the model may have misspelt it. */
export const toolNameOf = ({ call, begun }: CallView): string => begun?.tool ?? call.tool

export const callNameOf = (view: CallView): CallName => ({ id: view.call.id, tool: toolNameOf(view) })

export const textMessage = (...texts: readonly string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})

/** A prompt. The note says how the turn before ended; input beyond the prompt follows as JSON. */
export const promptMessage = (prompt: string, input: Json | undefined, note: string | undefined): ModelMessage => {
  const json = input === undefined ? undefined : JSON.stringify(input)
  const more = json === undefined || json === prompt ? [] : [`Input: ${json}`]
  return textMessage(...(note === undefined ? [] : [note]), prompt, ...more)
}

/** A listener spoke while the answer was spoken. */
export const INTERRUPTED = 'interrupted'

export const turnEndNote = (how: 'cancelled' | 'failed' | typeof BRANCHED | typeof INTERRUPTED): string =>
  TURN_END_NOTES[how]

const TURN_END_NOTES = {
  cancelled: '[The turn before was cancelled before its end.]',
  failed: '[The turn before failed before its end.]',
  [INTERRUPTED]: '[The listener interrupted: the answer before ends where it was heard.]',
  [BRANCHED]: '[The turn before was left before its end.]',
}

export const stepMessages = (content: readonly StepContent[], calls: readonly CallView[]): ModelMessage[] => {
  const byId = new Map(calls.map(({ call, providerId }) => [call.id, providerId]))
  const parts = assistantParts(
    content.map((entry) =>
      entry.type === 'call' ? { ...entry, provider_id: byId.get(entry.id) ?? entry.provider_id } : entry,
    ),
  )
  // Providers refuse an answer without content.
  const answer: ModelMessage[] = parts.length === 0 ? [] : [{ role: 'assistant', content: parts }]
  return calls.length === 0 ? answer : [...answer, { role: 'tool', content: calls.map(toolResult) }]
}

const toolResult = (view: CallView): ModelToolResultPart => ({
  type: 'tool-result',
  toolCallId: view.providerId,
  toolName: view.call.tool,
  output: callOutput(view),
})

/** The outcome of a call as the model reads it. */
export const callOutput = (view: Pick<CallView, 'outcome' | 'edited' | 'excerpt'>): ModelToolOutput =>
  withEdit(view, output(view))

const output = ({ outcome, excerpt }: Pick<CallView, 'outcome' | 'excerpt'>): ModelToolOutput => {
  // Every provider wants a result for each call.
  if (!outcome || outcome.reason === BRANCHED) return { type: 'error-text', value: 'The call was not made.' }
  const { status, result = null, error, reason } = outcome
  if (status === 'ok') return typeof result === 'string' ? { type: 'text', value: result } : json(result)
  if (status === 'artifact')
    return excerpt === null ? json(result) : { type: 'text', value: `${excerpt}${artifactNote(result)}` }
  if (status === 'denied')
    return { type: 'error-text', value: `The call was not made: ${error ?? reason ?? 'it was denied'}` }
  return { type: 'error-text', value: error ?? reason ?? 'The call failed.' }
}

/** The excerpt is written before the session has named the artifact. */
const artifactNote = (result: Json): string => {
  const id = isJsonObject(result) ? result.artifact_id : undefined
  return typeof id === 'string' ? `\n[The whole result is the artifact ${id}. Read more of it with read_artifact.]` : ''
}

const json = (value: Json): ModelToolOutput => ({ type: 'json', value })

const withEdit = ({ edited }: Pick<CallView, 'edited'>, made: ModelToolOutput): ModelToolOutput => {
  if (edited === null || made.type === 'execution-denied') return made
  const text = typeof made.value === 'string' ? made.value : JSON.stringify(made.value)
  return {
    type: made.type === 'error-text' ? 'error-text' : 'text',
    value: `A person changed the arguments of this call to ${JSON.stringify(edited)} and approved it.\n${text}`,
  }
}
