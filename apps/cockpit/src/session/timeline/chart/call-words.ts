// The words beside the bar of a call: how long it took, and what came of it.
import { answerText, bytesText, durationText, elapsedText, questionText } from 'bridle/words'
import { visibleText } from '../../../ui/plain-text.ts'
import type { Call } from '../../inspector/timeline/call.ts'
import { toolBrief } from '../../thread/tools/tool-brief.ts'

/** Characters of an error or a result beside a bar, which has one line. */
const NOTE_CHARS = 60

export interface CallWords {
  readonly time: string
  readonly note: string
}

export const callWords = (calls: readonly [Call, ...Call[]], now: number): CallWords => {
  const [call] = calls
  if (calls.length > 1) return { time: durationText(sumOf(calls)), note: `${calls.length} calls folded` }
  if (call.status === 'waiting') return { time: 'waiting', note: '' }
  if (call.status === 'running') return { time: elapsedText(now - call.beganAt), note: waitNote(call) }
  return { time: call.durationMs === null ? 'no outcome' : durationText(call.durationMs), note: outcomeNote(call) }
}

/** The thing that a call is about, or the folder of the things that several are about. */
export const callBrief = ([first, ...more]: readonly [Call, ...Call[]]): string => {
  const brief = briefOf(first)
  if (more.length === 0) return brief
  const shared = more.reduce((start, call) => sharedStart(start, briefOf(call)), brief)
  const folder = shared.slice(0, shared.lastIndexOf('/') + 1)
  return shared === brief ? brief : folder === '' ? '' : `${folder}**`
}

/** The wire repeats the id of the call among its arguments. */
const briefOf = ({ arguments: given, question }: Call): string => {
  if (question) return lineOf(questionText({ ...question.asked }))
  const { _tool_call_id, ...own } = given ?? {}
  return toolBrief(own)
}

const sharedStart = (one: string, other: string): string => {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}

const sumOf = (calls: readonly Call[]): number => calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)

const outcomeNote = (call: Call): string => {
  const settled = call.question?.settled
  const words = settled
    ? lineOf(answerText({ ...settled }) || (settled.reason ?? ''))
    : call.error === null
      ? resultNote(call.result)
      : lineOf(call.error)
  return [call.isSuperseded ? 'replaced' : '', waitNote(call), words].filter(Boolean).join(', ')
}

/** `after 2 m 48 s for ann, with edits`. */
const waitNote = ({ wait }: Call): string => {
  if (wait?.to == null) return ''
  const who = wait.actor === null ? '' : ` for ${visibleText(wait.actor)}`
  return `after ${durationText(wait.to - wait.from)}${who}${wait.isEdited ? ', with edits' : ''}`
}

const lineOf = (text: string): string =>
  `${visibleText(text.slice(0, NOTE_CHARS).replace(/\s+/g, ' ').trim())}${text.length > NOTE_CHARS ? '…' : ''}`

/** A short result as it is, a long one by its size. A result of another form says nothing in one line. */
const resultNote = (result: unknown): string => {
  if (typeof result === 'string') {
    const lines = result.trimEnd().split('\n').length
    if (lines > 1) return `${lines} lines`
    return result.length > NOTE_CHARS ? bytesText(result.length) : lineOf(result)
  }
  if (typeof result !== 'object' || result === null) return ''
  const { size, artifact_id: artifact } = result as { readonly size?: unknown; readonly artifact_id?: unknown }
  return typeof artifact === 'string' && typeof size === 'number' ? bytesText(size) : ''
}
