// Arguments while somebody edits them: a field for each key, where a text is plain text with its line ends, and everything else JSON. The whole
// object as JSON is the other way, for keys that come and go.
import { exactJson, hasRightToLeft, hiddenCount } from '../ui/exact-text.ts'
import type { JsonRecord } from './card-approval.ts'
import { type JsonProblem, jsonProblem } from './json-problem.ts'

export interface ArgumentField {
  readonly key: string
  readonly kind: 'text' | 'json'
  readonly text: string
}

export type ArgumentsDraft =
  | { readonly look: 'fields'; readonly fields: readonly ArgumentField[] }
  | { readonly look: 'json'; readonly text: string }

/** A problem names its field; null = the whole object. */
export interface ArgumentsProblem extends JsonProblem {
  readonly key: string | null
}

export type ParsedArguments =
  | { readonly args: JsonRecord; readonly problem: null }
  | { readonly args: null; readonly problem: ArgumentsProblem }

/** Arguments without a key have no field: they begin as JSON. */
export const fieldsDraft = (args: JsonRecord): ArgumentsDraft => {
  const fields = Object.entries(args).map(([key, value]) => fieldOf(key, value))
  return fields.length === 0 ? jsonDraft(args) : { look: 'fields', fields }
}

const fieldOf = (key: string, value: unknown): ArgumentField =>
  typeof value === 'string' && isPlain(value)
    ? { key, kind: 'text', text: value }
    : { key, kind: 'json', text: exactJson(value) }

export const jsonDraft = (args: JsonRecord): ArgumentsDraft => ({ look: 'json', text: exactJson(args) })

/** A text field hides some characters, turns others around, and makes every line end the same: such a text is edited with escapes. */
const isPlain = (text: string): boolean => hiddenCount(text) === 0 && !hasRightToLeft(text)

export const withField = (draft: ArgumentsDraft, key: string, text: string): ArgumentsDraft =>
  draft.look === 'json'
    ? draft
    : { ...draft, fields: draft.fields.map((field) => (field.key === key ? { ...field, text } : field)) }

/** The arguments that somebody wrote, or the place and the reason why they are none. */
export const parseDraft = (draft: ArgumentsDraft): ParsedArguments => {
  if (draft.look === 'json') return parseObject(draft.text)
  for (const { key, kind, text } of draft.fields) {
    const problem = kind === 'json' ? jsonProblem(text) : null
    if (problem) return { args: null, problem: { ...problem, key } }
  }
  const entries = draft.fields.map(({ key, kind, text }) => [key, kind === 'text' ? text : JSON.parse(text)] as const)
  return { args: Object.fromEntries(entries) as JsonRecord, problem: null }
}

const parseObject = (text: string): ParsedArguments => {
  const problem = jsonProblem(text)
  if (problem) return { args: null, problem: { ...problem, key: null } }
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { args: null, problem: { line: 1, column: 1, message: 'The arguments are an object: { … }.', key: null } }
  return { args: value as JsonRecord, problem: null }
}

/** The draft as one text, for somebody who wants to keep it. */
export const draftText = (draft: ArgumentsDraft): string => {
  if (draft.look === 'json') return draft.text
  const { args } = parseDraft(draft)
  return args ? exactJson(args) : draft.fields.map(({ key, text }) => `${key}: ${text}`).join('\n')
}
