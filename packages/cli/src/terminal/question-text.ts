// Questions and answers on a terminal. Wraps and never truncates. Each line of the agent's text starts with a bar, so
// that it cannot imitate an option or output of this program.
import type { GivenAnswer } from '@bridle/events/answers'
import { type Json, ownProperty } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { type AnswerField, answerFields } from './answer-fields.ts'
import { decisionText } from './conversation-text.ts'
import { displayWidth } from './display-width.ts'
import type { CliOutput } from './output.ts'
import { behindLabel, escapeInvisible, wrapText, wrapWords } from './text-lines.ts'
import { DECLINE } from './typed-answer.ts'

type Style = CliOutput['style']
const plain: Style = (_format, text) => text

/** All questions with their options, preceded by the reason unless a question repeats it. */
export const requestLines = (
  request: QuestionRequest,
  reason: unknown,
  columns: number,
  style: Style = plain,
): string[] => {
  const fields = answerFields(request)
  return [
    ...introLines(request, reason, columns, style),
    ...fields.flatMap((field, at) => fieldLines(field, placeOf(fields, at), columns, style)),
  ]
}

export const introLines = (request: QuestionRequest, reason: unknown, columns: number, style: Style): string[] => {
  const text = typeof reason === 'string' ? reason.trim() : ''
  const isRepeated = request.questions?.some(({ question }) => isSameText(question, text)) ?? false
  return text === '' || isRepeated ? [] : marked(style(['bold', 'yellow'], '?'), text, columns)
}

/** The reason may be a truncated question. */
const isSameText = (question: string, reason: string): boolean =>
  reason.includes(question) || question.startsWith(reason.slice(0, REASON_COMPARED))

/** Askers truncate longer reasons. */
const REASON_COMPARED = 200

/** `2 of 3`, or empty for a single field. */
export const placeOf = (fields: readonly AnswerField[], at: number): string =>
  fields.length === 1 ? '' : `${at + 1} of ${fields.length}`

export const fieldLines = (field: AnswerField, place: string, columns: number, style: Style = plain): string[] => {
  const { heading, text, options } = field
  const shape = typeWords(field)
  const head = [place, heading].filter(Boolean).join(': ') || 'Question'
  return [
    ...marked(style(['bold', 'yellow'], '?'), shape === '' ? head : `${head} (${shape})`, columns),
    ...(text === '' ? [] : foldedLines(text).flatMap((line) => barred(line, columns))),
    ...options.flatMap(({ label, description = '' }, at) => [
      ...hanging(`${String(at + 1).padStart(NUMBER_COLUMNS)}  `, BAR, label, columns),
      ...(description === '' ? [] : foldedLines(description).flatMap((line) => optionText(line, columns))),
    ]),
  ]
}

const keysText = (field: AnswerField): string => {
  const byDefault = field.default === undefined ? '' : ` Enter takes the default: ${valueText(field.default)}`
  const leaves = field.default === undefined && !field.isRequired ? ' Enter leaves it out.' : ''
  return `${DECLINE} gives no answer.${byDefault}${leaves}`
}

export const keysLines = (field: AnswerField, columns: number, style: Style): string[] =>
  behindLabel('  ', wrapWords(keysText(field), columns - 2)).map((line) => style('dim', line))

export const settledLines = (
  { decision, reason, ...given }: { readonly decision: unknown; readonly reason?: unknown } & GivenAnswer,
  isElsewhere: boolean,
  columns: number,
  style: Style = plain,
): string[] => {
  const isAnswered = decision === 'approved'
  const isByDefault = isAnswered && reason === 'expired'
  const words = isByDefault ? 'question expired, and its default applies' : questionOutcome(decision, isElsewhere)
  const mark = isAnswered ? style('green', '✓') : style('yellow', '✗')
  const values = Object.entries(given.answers ?? given.values ?? {})
  const because = isByDefault || typeof reason !== 'string' || reason === '' ? '' : `: ${reason}`
  return [
    ...marked(mark, words + because, columns),
    ...values.flatMap(([name, value]) => barred(`${name}: ${valueText(value)}`, columns)),
  ]
}

/** `question answered`, `question declined, elsewhere`. */
const questionOutcome = (decision: unknown, isElsewhere: boolean): string => {
  const words = decision === 'approved' ? 'answered' : decision === 'denied' ? 'declined' : null
  if (words === null) return decisionText('question', decision, isElsewhere)
  return `question ${words}${isElsewhere ? ', elsewhere' : ''}`
}

export const requestSummary = (request: QuestionRequest): string =>
  answerFields(request)
    .map(({ name, text, heading, options }) => {
      const labels = options.length === 0 ? '' : ` [${options.map(({ label }) => label).join(' | ')}]`
      return `${name}: ${request.schema === undefined ? text : heading}${labels}`
    })
    .join('; ')

export const valueText = (value: Json): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
      ? value.join(', ')
      : JSON.stringify(value)

const TYPE_WORDS: { readonly [T in AnswerField['type']]: string } = {
  ...{ text: 'text', number: 'number', integer: 'whole number', boolean: 'yes or no' },
  ...{ choice: '', choices: 'several', json: 'JSON' },
}

const FORMAT_WORDS: { readonly [format: string]: string } = {
  ...{ date: 'date', 'date-time': 'date and time', email: 'e-mail address', uri: 'address' },
}

/** Describes the type in the heading. A question's options already show it. */
const typeWords = ({ type, format = '', isRequired, options, takesText }: AnswerField): string => {
  const isQuestion = takesText || options.length > 0
  const shape = isQuestion && type !== 'choices' ? '' : (ownProperty(FORMAT_WORDS, format) ?? TYPE_WORDS[type])
  return [...(shape === '' ? [] : [shape]), ...(isRequired ? [] : ['optional'])].join(', ')
}

const BAR = '│'
/** Fits the maximum of 50 options. */
const NUMBER_COLUMNS = 3

/** Replaces runs of empty lines by a count, because they could push the text above off the screen. */
const foldedLines = (text: string): string[] => {
  const lines: string[] = []
  let empty = 0
  const close = () => {
    if (empty > 0) lines.push(empty === 1 ? '' : `… ${empty} empty lines`)
    empty = 0
  }
  for (const line of text.split(/\r\n|\n/)) {
    if (line.trim() === '' && escapeInvisible(line).trim() === '') empty += 1
    else {
      close()
      lines.push(line)
    }
  }
  close()
  return lines
}

const marked = (mark: string, text: string, columns: number): string[] =>
  foldedLines(text)
    .flatMap((line) => wrapText(escapeInvisible(line), columns - 2))
    .map((line, at) => `${at === 0 ? mark : BAR} ${line}`.trimEnd())

const barred = (line: string, columns: number): string[] =>
  wrapText(escapeInvisible(line), columns - 2).map((each) => `${BAR} ${each}`.trimEnd())

const optionText = (line: string, columns: number): string[] =>
  hanging(`${' '.repeat(NUMBER_COLUMNS)}  · `, `  ${BAR}`, line, columns)

const hanging = (label: string, bar: string, text: string, columns: number): string[] => {
  const indent = displayWidth(label)
  const next = `${bar.padStart(indent - 1)} `
  return wrapText(escapeInvisible(text), columns - indent).map((line, at) =>
    `${at === 0 ? label : next}${line}`.trimEnd(),
  )
}
