import { isJsonObject, type Json, type JsonObject, ownProperty } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { shellQuoted, shellWord } from '../command/shell-word.ts'
import { type AnswerField, answerFields, type CutApproval } from './answer-fields.ts'
import { escapeInvisible } from './text-lines.ts'

export interface AnswerPlace {
  readonly command: string
  readonly id: string
  readonly approvalId: string
  readonly nextFlags: string
}

/** A valid command with the first option of each choice. Capitals are placeholders. */
export const answerCommand = (
  { command, id, approvalId, nextFlags }: AnswerPlace,
  request: QuestionRequest,
  known: JsonObject = {},
): string => {
  const place = `${command} answer ${shellWord(id)} ${shellWord(approvalId)}`
  const fields = answerFields(request)
  const asked = fields.filter(({ name, isRequired }) => isRequired || ownProperty(known, name) !== undefined)
  const values = (asked.length === 0 ? fields.slice(0, 1) : asked).map(
    (field) => [field.name, ownProperty(known, field.name) ?? sampleValue(field)] as const,
  )
  const words = values.map(([name, value]) => valueWords(name, value))
  if (words.every((each) => each !== null)) return `${place} ${words.flat().join(' ')}${nextFlags}`
  // JSON can escape every character as ASCII.
  const json = escapeInvisible(JSON.stringify(Object.fromEntries(values)))
  return `printf '%s' ${shellQuoted(json)} | ${place} --answers -${nextFlags}`
}

/** A command that answers in the child session, for an approval that cannot be shown here. */
export const childCommand = (
  { command, nextFlags }: Pick<AnswerPlace, 'command' | 'nextFlags'>,
  { id, agent, approvalId, isQuestion }: CutApproval,
): string => {
  const place = `${shellWord(id)} ${shellWord(approvalId)}`
  const call = isQuestion ? `answer ${place} NAME=ANSWER` : `approve ${place}`
  // The last `--agent` wins.
  return `${command} ${call}${nextFlags} --agent ${shellWord(agent)}`
}

/** Null if shell words cannot express the value unambiguously. */
const valueWords = (name: string, value: Json): readonly string[] | null => {
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value]
  if (!/^[A-Za-z_][\w.:-]*$/.test(name) || values.length === 0) return null
  if (values.some((each) => Array.isArray(each) || isJsonObject(each))) return null
  const texts = values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return texts.every((each) => escapeInvisible(each) === each)
    ? texts.map((each) => `${name}=${shellWord(each)}`)
    : null
}

const sampleValue = (field: AnswerField): Json => {
  const [first] = field.options
  if (field.default !== undefined) return field.default
  if (first !== undefined) return field.type === 'choices' ? [first.value] : first.value
  return SAMPLES[field.type]
}

const SAMPLES: { readonly [T in AnswerField['type']]: Json } = {
  ...{ text: 'TEXT', number: 'NUMBER', integer: 'NUMBER', boolean: true },
  ...{ choice: 'TEXT', choices: ['TEXT'], json: {} },
}
