// The log of a session as rows that a person compares: one for each prompt, call, answer, approval and marker.
import type { LogEntry } from 'bridle/client'
import { argumentText, questionText } from 'bridle/words'
import type { IconName } from '../../../ui/icon-names.ts'
import { foldScript } from '../../../ui/script-text.ts'
import { eventLook } from '../../event-look.ts'
import { type AnswerText, answerAfter, NO_ANSWER } from './answer-text.ts'

/** Characters of a text in a row, which has one line. */
const ROW_CHARS = 300

export interface LogRow {
  readonly seq: number
  readonly kind: 'prompt' | 'call' | 'answer' | 'approval' | 'marker'
  readonly icon: IconName
  readonly tone: '' | 'ok' | 'warn' | 'danger'
  /** The name of a tool, which stands before the text. */
  readonly tool: string
  readonly text: string
  readonly ms: number | null
  /** The same for events that say the same, in whichever session: ids, numbers and times are not in it. */
  readonly content: string
}

type Payload = { readonly [name: string]: unknown }

/** Rows in the order of the log. */
export const logRows = (entries: readonly LogEntry[]): readonly LogRow[] => {
  const calls = new Map<string, { readonly name: string; readonly args: unknown }>()
  const results = new Map<string, unknown>()
  const open = new Map<string, LogRow>()
  const answers = new Map<string, AnswerText>()
  const ends = new Map<string, LogEntry>()
  const questions = new Set<string>()
  const rows: LogRow[] = []
  for (const entry of entries) {
    const { seq, type, payload, run = '', withheld, hearsay } = entry
    if (withheld || hearsay) continue
    answers.set(run, answerAfter(answers.get(run) ?? NO_ANSWER, entry))
    const id = textOf(payload.tool_call_id)
    switch (type) {
      case 'prompt_queued':
      case 'steered':
        rows.push({
          ...row(seq, 'prompt', 'message-square', promptText(payload)),
          content: `prompt ${textOf(payload.text)}`,
        })
        break
      case 'tool_call':
        calls.set(id, { name: textOf(payload.name), args: payload.arguments })
        open.set(id, {
          ...row(seq, 'call', 'loader-circle', argumentText(payload.arguments)),
          tool: textOf(payload.name),
          content: '',
        })
        break
      case 'tool_result':
        results.set(id, payload.result)
        break
      case 'tool_outcome':
        open.delete(id)
        // The question and its answer are rows of their own.
        if (questions.has(id)) break
        if (payload.reason !== 'branched') rows.push(outcomeRow(seq, payload, calls.get(id)?.args, results.get(id)))
        break
      case 'turn_end':
        if (payload.stop_reason !== 'branched') ends.set(run, entry)
        break
      case 'approval_required':
        if (payload.kind === 'question') {
          const text = questionText(payload)
          open.delete(id)
          questions.add(id)
          rows.push({ ...row(seq, 'approval', 'circle-question-mark', text, 'warn'), content: `question ${text}` })
          break
        }
        rows.push({
          ...row(seq, 'approval', 'shield-alert', `asked about: ${textOf(payload.reason)}`, 'warn'),
          tool: textOf(payload.tool_name),
          content: `ask ${textOf(payload.tool_name)} ${sameText(payload.arguments)}`,
        })
        break
      default:
        if (isMarker(type, payload)) rows.push(markerRow(seq, type, payload))
    }
  }
  const running = [...open.values()].map((each) => ({ ...each, content: `runs ${each.tool} ${each.text}` }))
  // A listener may interrupt an answer after the end of its turn.
  const answered = [...ends].map(([run, { seq, payload }]) => answerRow(seq, payload, answers.get(run)?.text ?? ''))
  return [...rows, ...answered, ...running].toSorted((a, b) => a.seq - b.seq)
}

const MARKERS = new Set([
  ...['session_checkpoint', 'context_warning', 'context_compacted', 'approval_applied', 'retry_scheduled', 'error'],
  ...['policy_set', 'budget_crossed', 'session_paused', 'session_resumed', 'cancel_requested', 'signal_received'],
  ...['artifact_published', 'subagent_event', 'custom_event', 'directive'],
])

/** The events with which a branch begins say nothing about the work. */
const isMarker = (type: string, payload: Payload): boolean =>
  MARKERS.has(type) && payload.checkpoint_type !== 'resume_seed' && payload.reason !== 'branched'

const row = (
  seq: number,
  kind: LogRow['kind'],
  icon: IconName,
  text: string,
  tone: LogRow['tone'] = '',
): Omit<LogRow, 'content'> => ({ seq, kind, icon, tone, tool: '', text: oneLine(text), ms: null })

const outcomeRow = (seq: number, payload: Payload, args: unknown, result: unknown): LogRow => {
  const status = textOf(payload.status)
  const isGood = status === 'ok' || status === 'artifact'
  const name = textOf(payload.tool_name)
  const problem = isGood ? '' : textOf(payload.error) || textOf(payload.reason) || status
  const text = [argumentText(args), problem].filter(Boolean).join(': ')
  return {
    ...row(seq, 'call', isGood ? 'circle-check' : 'circle-x', text, isGood ? 'ok' : 'danger'),
    tool: name,
    ms: typeof payload.elapsed_ms === 'number' ? payload.elapsed_ms : null,
    content: `call ${name} ${sameText(args)} ${status} ${sameText(payload.result ?? result ?? null)} ${problem}`,
  }
}

const answerRow = (seq: number, payload: Payload, answer: string): LogRow => {
  const status = textOf(payload.status)
  const words = status === 'completed' ? 'Answered' : status === 'failed' ? 'Failed' : 'Cancelled'
  const icon = status === 'completed' ? 'circle-check' : status === 'failed' ? 'circle-x' : 'ban'
  const tone = status === 'completed' ? 'ok' : status === 'failed' ? 'danger' : ''
  const text = answer.trim() === '' ? words : `${words}: “${answer.trim()}”`
  return { ...row(seq, 'answer', icon, text, tone), content: `end ${status} ${answer}` }
}

/** Ids and numbers of checkpoints differ in every session. */
const markerRow = (seq: number, type: string, payload: Payload): LogRow => {
  const { icon, tone, title, text } = eventLook(type, { ...payload, sequence: undefined, session_id: undefined })
  const said = [title, text].filter(Boolean).join(': ')
  return { ...row(seq, 'marker', icon, said, tone), content: `${type} ${said}` }
}

const promptText = (payload: Payload): string => `“${foldScript(textOf(payload.text)).trim()}”`

/** JSON without the ids that differ in every session. */
const sameText = (value: unknown): string =>
  JSON.stringify(value ?? null, (name, each: unknown) => (name.startsWith('_') ? undefined : each))

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > ROW_CHARS ? `${line.slice(0, ROW_CHARS).toWellFormed()}…` : line
}
