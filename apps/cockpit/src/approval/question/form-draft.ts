// The values of a form while a person fills it in: the content of each field, or all values as JSON.
import { answerProblem, type FormField, formFields } from 'bridle/client'
import { exactJson } from '../../ui/exact-text.ts'
import type { JsonRecord } from '../card-approval.ts'
import { jsonProblem } from '../json-problem.ts'
import type { AnswerState } from './question-draft.ts'

type Json = JsonRecord[string]
/** The text of a field, the state of a box, or the chosen values. */
export type FieldDraft = string | boolean | readonly string[]

export interface FormDraft {
  /** Fields that have something, by name. */
  readonly fields: ReadonlyMap<string, FieldDraft>
  /** All values as JSON, while they are edited so; null = the fields count. */
  readonly json: string | null
}

/** The name of problems of the whole form. */
export const WHOLE_FORM = ''

/** Fields begin with the default of the request, or else with their own. */
export const initialForm = (schema: JsonRecord, byDefault: JsonRecord | undefined): FormDraft => ({
  fields: new Map(
    formFields(schema).flatMap((field) => {
      const value = byDefault ? ownValue(byDefault, field.name) : field.default
      const draft = value === undefined ? undefined : draftOf(field, value)
      return draft === undefined ? [] : [[field.name, draft] as const]
    }),
  ),
  json: null,
})

/** Undefined empties the field. */
export const withField = (draft: FormDraft, name: string, value: FieldDraft | undefined): FormDraft => {
  const fields = new Map(draft.fields)
  if (value === undefined) fields.delete(name)
  else fields.set(name, value)
  return { ...draft, fields }
}

/** The same values as JSON or as fields. Null = a value would be lost or changed. */
export const turnedForm = (schema: JsonRecord, draft: FormDraft): FormDraft | null => {
  if (draft.json === null) {
    const { values, isRead } = valuesOf(schema, draft)
    return isRead ? { ...draft, json: exactJson(values) } : null
  }
  const values = parseValues(draft.json)
  if (typeof values === 'string') return null
  const turned = initialForm(schema, values)
  const shown = valuesOf(schema, turned).values
  const isSame = (name: string) => Object.hasOwn(shown, name) && exactJson(shown[name]) === exactJson(values[name])
  return Object.keys(values).every(isSame) ? turned : null
}

export const formAnswer = (schema: JsonRecord, draft: FormDraft): AnswerState<JsonRecord> => {
  if (draft.json !== null) return jsonAnswer(schema, draft.json)
  const { values, problems } = valuesOf(schema, draft)
  const missing = formFields(schema).filter(
    ({ name, isRequired }) => isRequired && ownValue(values, name) === undefined && !problems.has(name),
  ).length
  if (missing > 0 || problems.size > 0) return { given: undefined, missing, problems }
  const problem = answerProblem({ schema }, { values })
  return problem === null
    ? { given: values, missing, problems }
    : { given: undefined, missing, problems: new Map([[WHOLE_FORM, problem]]) }
}

const jsonAnswer = (schema: JsonRecord, text: string): AnswerState<JsonRecord> => {
  const values = parseValues(text)
  const problem = typeof values === 'string' ? values : answerProblem({ schema }, { values })
  return problem === null
    ? { given: values as JsonRecord, missing: 0, problems: new Map() }
    : { given: undefined, missing: 0, problems: new Map([[WHOLE_FORM, problem]]) }
}

/** The values, or a sentence that says why the text has none. */
const parseValues = (text: string): JsonRecord | string => {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed.problem
  const { value } = parsed
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : 'The values are an object: { … }.'
}

const parseJson = (text: string): { readonly value: Json } | { readonly problem: string } => {
  const problem = jsonProblem(text)
  return problem === null
    ? { value: JSON.parse(text) as Json }
    : { problem: `Line ${problem.line}, column ${problem.column}: ${problem.message}` }
}

const valuesOf = (schema: JsonRecord, { fields }: FormDraft) => {
  const values: [string, Json][] = []
  const problems = new Map<string, string>()
  let isRead = true
  for (const field of formFields(schema)) {
    const read = readField(field, fields.get(field.name))
    if (read === undefined) continue
    const problem = 'problem' in read ? read.problem : fieldProblem(schema, field, read.value)
    if ('value' in read) values.push([field.name, read.value])
    else isRead = false
    if (problem !== null) problems.set(field.name, problem)
  }
  return { values: Object.fromEntries(values) as JsonRecord, problems, isRead }
}

/** Undefined = the field has no value. An unticked box is false. */
const readField = (
  { type, format }: FormField,
  draft: FieldDraft | undefined,
): { readonly value: Json } | { readonly problem: string } | undefined => {
  if (type === 'boolean') return { value: draft === true }
  if (type === 'choices') return Array.isArray(draft) ? { value: draft as readonly string[] } : undefined
  if (typeof draft !== 'string') return undefined
  if (type === 'choice') return { value: draft }
  if (draft.trim() === '') return undefined
  if (type === 'json') return parseJson(draft)
  if (type === 'number' || type === 'integer') {
    const value = Number(draft)
    return Number.isFinite(value)
      ? { value }
      : { problem: type === 'integer' ? 'Enter a whole number.' : 'Enter a number.' }
  }
  return { value: format === 'date-time' ? momentOf(draft) : draft }
}

const fieldProblem = (schema: JsonRecord, field: FormField, value: Json): string | null => {
  const { name, type, least, most } = field
  const properties = schema.properties as JsonRecord
  const problem = answerProblem(
    { schema: { type: 'object', properties: { [name]: ownValue(properties, name) ?? {} } } },
    { values: { [name]: value } },
  )
  if (problem === null) return null
  if (typeof value === 'number' && ((least !== undefined && value < least) || (most !== undefined && value > most)))
    return rangeText(least, most)
  if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.'
  // The label above the field already names it.
  const prefix = `Field "${name}" `
  return problem.startsWith(prefix)
    ? problem.charAt(prefix.length).toUpperCase() + problem.slice(prefix.length + 1)
    : problem
}

/** `Enter a number from 1 to 8.` */
const rangeText = (least: number | undefined, most: number | undefined): string => {
  if (least === undefined) return `Enter ${most} or less.`
  return most === undefined ? `Enter ${least} or more.` : `Enter a number from ${least} to ${most}.`
}

const draftOf = ({ type, format }: FormField, value: Json): FieldDraft | undefined => {
  if (type === 'json') return exactJson(value)
  if (type === 'boolean') return value === true
  if (type === 'choices')
    return Array.isArray(value) && value.every((each) => typeof each === 'string')
      ? (value as readonly string[])
      : undefined
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return format === 'date-time' ? localMoment(String(value)) : String(value)
}

/** The browser's field has the local time without its zone. */
const localMoment = (moment: string): string => {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

const momentOf = (local: string): string => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

const ownValue = (record: JsonRecord, name: string): Json | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
