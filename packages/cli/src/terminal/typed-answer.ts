import type { Json } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import type { AnswerField, AnswerOption } from './answer-fields.ts'

/** `isLeftOut`: the form omits this field. */
export type TypedAnswer = { readonly value: Json } | { readonly problem: string } | { readonly isLeftOut: true }

/** Declines a request instead of answering it. */
export const DECLINE = '/decline'

/** An empty line accepts the default or omits an optional field. */
export const typedAnswer = (field: AnswerField, line: string): TypedAnswer => {
  const typed = line.trim()
  if (typed === '') {
    if (field.default !== undefined) return { value: field.default }
    return field.isRequired ? { problem: `This needs an answer. ${adviceFor(field)}` } : { isLeftOut: true }
  }
  const value = READERS[field.type](field, typed)
  if (value === undefined) return { problem: `That does not fit. ${adviceFor(field)}` }
  const problem = field.problemOf(value)
  return problem === null ? { value } : { problem }
}

export const answerPrompt = (field: AnswerField): string => `${PROMPTS[field.type](field)}: `

/** Parses a command-line value. Options go by value or label only, because a number could be the answer itself. */
export const wordAnswer = (field: AnswerField, word: string): Json =>
  field.type === 'choice' || field.type === 'choices'
    ? (optionNamed(field, word)?.value ?? word)
    : (READERS[field.type](field, word) ?? word)

type Reader = (field: AnswerField, typed: string) => Json | undefined

const readNumber: Reader = (_field, typed) => (/^[-+]?[\d.]/.test(typed) ? finite(Number(typed)) : undefined)
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined)

const READERS: { readonly [T in AnswerField['type']]: Reader } = {
  text: (_field, typed) => typed,
  number: readNumber,
  integer: readNumber,
  boolean: (_field, typed) => BOOLEANS.get(typed.toLowerCase()),
  choice: (field, typed) => pick(field, typed),
  choices: (field, typed) => pickSeveral(field, typed),
  json: (_field, typed) => tryOr(undefined, () => JSON.parse(typed) as Json),
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'true'].map((word) => [word, true] as const),
  ...['n', 'no', 'false'].map((word) => [word, false] as const),
])

const pick = (field: AnswerField, typed: string): string | undefined =>
  (optionAt(field, typed) ?? optionNamed(field, typed))?.value ?? (field.takesText ? typed : undefined)

/** Tries the whole text as a label first, because labels may contain commas. A number always means an option's number. */
const pickSeveral = (field: AnswerField, typed: string): readonly string[] | undefined => {
  const whole = OPTION_NUMBER.test(typed) ? undefined : optionNamed(field, typed)
  if (whole !== undefined) return [whole.value]
  if (typed === NONE) return []
  const parts = typed.split(/^[\d\s,]+$/.test(typed) ? /[\s,]+/ : ',').map((part) => part.trim())
  const picked = parts.filter((part) => part !== '').map((part) => pick(field, part))
  return picked.every((each) => each !== undefined) ? picked : undefined
}

const OPTION_NUMBER = /^\d{1,3}$/
/** No option has this number. */
const NONE = '0'

const optionAt = ({ options }: AnswerField, typed: string): AnswerOption | undefined =>
  OPTION_NUMBER.test(typed) ? options[Number(typed) - 1] : undefined

const optionNamed = ({ options }: AnswerField, typed: string): AnswerOption | undefined => {
  const exact = options.find(({ value }) => value === typed) ?? options.find(({ label }) => label === typed)
  if (exact !== undefined) return exact
  const similar = options.filter(({ label }) => label.toLowerCase() === typed.toLowerCase())
  return similar.length === 1 ? similar[0] : undefined
}

const range = ({ options }: AnswerField): string => (options.length === 1 ? '1' : `1-${options.length}`)

const PROMPTS: { readonly [T in AnswerField['type']]: (field: AnswerField) => string } = {
  text: () => 'Answer',
  number: () => 'Number',
  integer: () => 'Whole number',
  boolean: () => '[y]es or [n]o',
  choice: (field) => `Number ${range(field)}${field.takesText ? ', or your own text' : ''}`,
  choices: (field) =>
    field.options.length === 0
      ? 'Texts with commas, 0 for none'
      : `Numbers ${range(field)} with commas, 0 for none${field.takesText ? ', or your own texts' : ''}`,
  json: () => 'JSON',
}

const adviceFor = (field: AnswerField): string => ADVICE[field.type](field)

const ADVICE: { readonly [T in AnswerField['type']]: (field: AnswerField) => string } = {
  text: () => 'Write a text.',
  number: () => 'Write a number.',
  integer: () => 'Write a whole number.',
  boolean: () => 'Write y or n.',
  choice: (field) => `Write the number or the label of an option${field.takesText ? ', or a text of your own' : ''}.`,
  choices: (field) =>
    field.options.length === 0
      ? 'Write one or more texts, with commas between them.'
      : `Write numbers such as 1,2 or labels${field.takesText ? ' or texts of your own' : ''}, with commas between them; 0 chooses none.`,
  json: () => 'Write a JSON value, such as {"a": 1} or ["a", "b"].',
}
