// The texts of a form as the value that its schema describes, or the places that are wrong.
import { jsonText } from '../../ui/code.tsx'
import type { FormField, JsonValue } from './form-field.ts'

/** The text of each field, and the state of each switch, by `fieldId`. */
export type FormDrafts = { readonly [id: string]: string | boolean }

export interface FormProblem {
  readonly id: string
  readonly message: string
}

export const fieldId = ({ path }: Pick<FormField, 'path'>): string => path.join('/')

export const initialDrafts = (fields: readonly FormField[]): FormDrafts =>
  Object.assign({}, ...fields.map((field) => (field.kind === 'group' ? initialDrafts(field.fields) : draftOf(field))))

const draftOf = (field: FormField): FormDrafts => {
  const { initial } = field
  if (initial === undefined) return {}
  const id = fieldId(field)
  if (field.kind === 'switch') return { [id]: initial === true }
  if (field.kind === 'choice') return { [id]: String(field.options.findIndex((option) => isSame(option, initial))) }
  if (field.kind === 'lines' && Array.isArray(initial)) return { [id]: initial.join('\n') }
  return { [id]: field.kind === 'json' || typeof initial === 'object' ? jsonText(initial) : String(initial) }
}

export const formValue = (
  fields: readonly FormField[],
  drafts: FormDrafts,
): { readonly value: { readonly [name: string]: JsonValue }; readonly problems: readonly FormProblem[] } => {
  const value: { [name: string]: JsonValue } = {}
  const problems: FormProblem[] = []
  for (const field of fields) {
    const read = readField(field, drafts)
    problems.push(...read.problems)
    // `__proto__` is a name like any other.
    if (read.value !== undefined)
      Object.defineProperty(value, field.path.at(-1) ?? '', { value: read.value, enumerable: true, configurable: true })
  }
  return { value, problems }
}

interface ReadValue {
  /** Undefined: the value is left out. */
  readonly value: JsonValue | undefined
  readonly problems: readonly FormProblem[]
}

const readField = (field: FormField, drafts: FormDrafts): ReadValue => {
  if (field.kind === 'group') return readGroup(field, drafts)
  const draft = drafts[fieldId(field)]
  if (field.kind === 'switch') {
    const isOn = draft === true
    return { value: field.isRequired || draft !== undefined ? isOn : undefined, problems: [] }
  }
  const text = typeof draft === 'string' ? draft : ''
  if (text.trim() === '') return emptyValue(field)
  const read = readText(field, text)
  return typeof read === 'string'
    ? { value: undefined, problems: [{ id: fieldId(field), message: read }] }
    : { value: read.value, problems: [] }
}

const emptyValue = (field: FormField): ReadValue => {
  if (!field.isRequired) return { value: undefined, problems: [] }
  if (field.isNullable) return { value: null, problems: [] }
  if (field.kind === 'lines') return { value: [], problems: [] }
  return { value: undefined, problems: [{ id: fieldId(field), message: 'This is required.' }] }
}

/** The value, or a sentence that says what is wrong. */
const readText = (field: FormField, text: string): { readonly value: JsonValue } | string => {
  switch (field.kind) {
    case 'number': {
      const value = Number(text)
      if (!Number.isFinite(value)) return 'This must be a number.'
      if (field.isWhole && !Number.isInteger(value)) return 'This must be a whole number.'
      if (field.min !== null && value < field.min) return `This must be at least ${field.min}.`
      if (field.max !== null && value > field.max) return `This must be at most ${field.max}.`
      return { value }
    }
    case 'choice': {
      const value = field.options[Number(text)]
      return value === undefined ? 'Choose one of the values.' : { value }
    }
    case 'lines':
      return { value: text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])) }
    case 'json':
      return readJson(text)
    default:
      return { value: text }
  }
}

export const readJson = (text: string): { readonly value: JsonValue } | string => {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}

/** A group that nobody filled in is left out, where it may be. */
const readGroup = (field: FormField & { readonly kind: 'group' }, drafts: FormDrafts): ReadValue => {
  const { value, problems } = formValue(field.fields, drafts)
  const isEmpty = Object.keys(value).length === 0
  const isTouched = field.fields.some((each) => isFilled(each, drafts))
  if (!field.isRequired && !isTouched) return { value: undefined, problems: [] }
  return { value: isEmpty && !field.isRequired ? undefined : value, problems }
}

const isFilled = (field: FormField, drafts: FormDrafts): boolean => {
  if (field.kind === 'group') return field.fields.some((each) => isFilled(each, drafts))
  const draft = drafts[fieldId(field)]
  return draft === true || (typeof draft === 'string' && draft.trim() !== '')
}

const isSame = (one: JsonValue, other: JsonValue): boolean => JSON.stringify(one) === JSON.stringify(other)
