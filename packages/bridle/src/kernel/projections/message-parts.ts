// Rewrites of a message's parts: rare, and each is a `set` of the whole list.
import type { TextMark } from '../commands.ts'
import { type DeltaOperation, setOperation } from '../delta.ts'
import type { HarnessMessage, HarnessPart, HarnessState } from './harness-state.ts'

/** The place at the end of a run's answer. */
export const answerMark = ({ messages }: Pick<HarnessState, 'messages'>, runId: string): TextMark => {
  const answer = messages.findLast((each) => each.role === 'assistant' && each.runId === runId)
  return { chars: answer?.content.length ?? 0, parts: answer?.parts?.length ?? 0 }
}

type MessagePath = readonly (string | number)[]

/** The text of a text part. */
export const partText = (message: Pick<HarnessMessage, 'content' | 'parts'>, index: number): string => {
  const part = message.parts?.[index]
  if (part?.type !== 'text') return ''
  if (!('from' in part)) return part.text
  const next = message.parts?.slice(index + 1).find((each) => each.type === 'text' && 'from' in each)
  return message.content.slice(part.from, next && 'from' in next ? next.from : undefined)
}

/** The finished turn's text is authoritative: sent only when it differs from what was streamed. */
export const withResponse = (message: HarnessMessage, path: MessagePath, text: string): DeltaOperation[] => {
  if (message.content === text) return []
  const parts = message.parts ?? []
  const lastText = parts.findLastIndex(isLiveText)
  const kept = parts.flatMap((part, index): HarnessPart[] =>
    index === lastText ? [{ type: 'text', from: 0 }] : isLiveText(part) ? [] : [part],
  )
  if (lastText < 0) kept.push({ type: 'text', from: 0 })
  return [setOperation([...path, 'content'], text), setOperation([...path, 'parts'], kept)]
}

/** A retry replaces the text of the last attempt: its parts stay, marked as superseded, and the text starts again. */
export const supersedeMessage = (message: HarnessMessage, path: MessagePath): DeltaOperation[] => [
  setOperation([...path, 'content'], ''),
  setOperation(
    [...path, 'parts'],
    (message.parts ?? []).map((part, index) =>
      isLiveText(part)
        ? { type: 'text', text: partText(message, index), superseded: true }
        : { ...part, superseded: true },
    ),
  ),
  setOperation(
    [...path, 'toolCalls'],
    (message.toolCalls ?? []).map((call) => (call.superseded ? call : { ...call, superseded: true })),
  ),
]

const isLiveText = (part: HarnessPart): boolean => part.type === 'text' && 'from' in part
