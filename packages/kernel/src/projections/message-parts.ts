// Rewriting a message's parts is rare, so each rewrite sets the whole list.
import type { TextMark } from '../commands.ts'
import { type DeltaOperation, setOperation } from '../delta.ts'
import { placesWithout } from './event-places.ts'
import type { HarnessMessage, HarnessPart, HarnessState } from './harness-state.ts'

export const answerMark = ({ messages }: Pick<HarnessState, 'messages'>, runId: string): TextMark => {
  const answer = answerOf(messages, runId)
  return { chars: answer?.content.length ?? 0, parts: answer?.parts?.length ?? 0 }
}

export const answerOf = (messages: readonly HarnessMessage[], runId: string): HarnessMessage | undefined =>
  messages.findLast((each) => each.role === 'assistant' && each.runId === runId)

type MessagePath = readonly (string | number)[]

/** The text of a part, from the content of its message. */
export const partText = (message: Pick<HarnessMessage, 'content' | 'parts'>, index: number): string => {
  const part = message.parts?.[index]
  if (part?.type !== 'text') return ''
  if (!('from' in part)) return part.text
  // The next text is usually near. Filtering the list would make showing a long answer quadratic.
  const { content, parts = [] } = message
  for (let at = index + 1; at < parts.length; at++) {
    const next = parts[at]
    if (next?.type === 'text' && 'from' in next) return content.slice(part.from, next.from)
  }
  return content.slice(part.from)
}

/** The final text is authoritative, and sent only if it differs from the streamed text. */
export const withResponse = (message: HarnessMessage, path: MessagePath, text: string): DeltaOperation[] => {
  if (message.content === text) return []
  const parts = message.parts ?? []
  const lastText = parts.findLastIndex(isLiveText)
  const kept = parts.flatMap((part, index): HarnessPart[] =>
    index === lastText ? [{ type: 'text', from: 0 }] : isLiveText(part) ? [] : [part],
  )
  if (lastText < 0) kept.push({ type: 'text', from: 0 })
  const isRemoved = (index: number): boolean => index !== lastText && isLiveText(parts[index] as HarnessPart)
  return [
    setOperation([...path, 'content'], text),
    setOperation([...path, 'parts'], kept),
    ...(message.places ? [setOperation([...path, 'places'], placesWithout(message, isRemoved))] : []),
  ]
}

export const hasOutputAfter = (
  { messages }: Pick<HarnessState, 'messages'>,
  runId: string,
  mark: TextMark,
): boolean => {
  const answer = answerOf(messages, runId)
  return answer !== undefined && supersedeFrom(answer, [], mark).length > 0
}

export const thoughtChars = ({ messages }: Pick<HarnessState, 'messages'>, runId: string, parts: number): number => {
  let chars = 0
  for (const part of answerOf(messages, runId)?.parts?.slice(0, parts) ?? [])
    if (part.type === 'reasoning' && !part.superseded) chars += part.text.length
  return chars
}

/** Tools and artifacts are facts and stay. Parts before the mark keep their index, so that earlier marks stay valid. */
export const supersedeFrom = (
  { content, parts = [] }: HarnessMessage,
  path: MessagePath,
  mark: TextMark,
): DeltaOperation[] => {
  const next = [...parts]
  let end = content.length
  // Backwards, so that a long answer is not read from the start.
  for (let index = parts.length - 1; index >= 0 && (index >= mark.parts || end > mark.chars); index--) {
    const part = parts[index] as HarnessPart
    if (part.type === 'reasoning' && index >= mark.parts && !part.superseded)
      next[index] = { ...part, superseded: true }
    if (part.type !== 'text' || !('from' in part)) continue
    const text = content.slice(Math.max(part.from, mark.chars), end)
    end = part.from
    if (text === '') continue
    if (part.from >= mark.chars) next[index] = { type: 'text', text, superseded: true }
    // Split a part that contains the mark: its start stays, its rest moves behind the mark.
    else next.splice(Math.max(index + 1, mark.parts), 0, { type: 'text', text, superseded: true })
  }
  const changed = next.flatMap((part, index) =>
    part === parts[index] ? [] : [setOperation([...path, 'parts', index], part)],
  )
  if (content.length <= mark.chars) return changed
  return [setOperation([...path, 'content'], content.slice(0, mark.chars)), ...changed]
}

/** A retry starts the text again; parts of the last attempt stay, marked as superseded. */
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

export const hasCallAfter = ({ content, parts = [] }: HarnessMessage, chars: number): boolean => {
  let end = content.length
  for (const part of parts.toReversed()) {
    if (part.type === 'tool' && !part.superseded && end >= chars) return true
    if (part.type === 'text' && 'from' in part) end = part.from
  }
  return false
}
