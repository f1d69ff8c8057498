// Shows file changes as a path with removed and added lines. Detected by argument names, because tool names differ
// between agents.
import { isJsonObject } from '@bridle/events/json'
import { type LineChange, lineChanges } from './argument-diff.ts'
import { escapeInvisible } from './text-lines.ts'

export interface FileChange {
  readonly path: string
  readonly edits: readonly FileEdit[]
}

export interface FileEdit {
  readonly lines: readonly LineChange[]
  readonly options: { readonly [name: string]: unknown }
}

/** Null for any unknown argument, which a diff would hide. */
export const fileChangeOf = (args: unknown): FileChange | null => {
  if (!isJsonObject(args)) return null
  const { file_path: path, ...rest } = args
  if (typeof path !== 'string') return null
  const { content, edits } = rest
  if (typeof content === 'string' && hasKeys(rest, ['content']))
    return { path, edits: [{ lines: addedLines(content), options: {} }] }
  const list = (Array.isArray(edits) && hasKeys(rest, ['edits']) ? edits : [rest]).map(editOf)
  return list.length === 0 || list.includes(null) ? null : { path, edits: list as FileEdit[] }
}

/** Quotes ambiguous paths as JSON. */
export const pathText = (path: string): string =>
  /^[\w./@+-]+$/u.test(path) ? path : escapeInvisible(JSON.stringify(path))

const editOf = (value: unknown): FileEdit | null => {
  if (!isJsonObject(value)) return null
  const { old_string: before, new_string: after, ...options } = value
  if (typeof before !== 'string' || typeof after !== 'string') return null
  const { replace_all: all } = options
  if (!hasKeys(options, all === undefined ? [] : ['replace_all']) || !['boolean', 'undefined'].includes(typeof all))
    return null
  return { lines: lineChanges(linesOf(before), linesOf(after)), options }
}

/** A trailing newline starts no line. All lines are marked as added, so none can imitate the note about a missing newline. */
const addedLines = (content: string): LineChange[] => {
  if (content === '') return [{ mark: '·', text: '(empty)' }]
  const added = linesOf(content.replace(/\n$/, '')).map((text): LineChange => ({ mark: '+', text }))
  return content.endsWith('\n') ? added : [...added, { mark: '·', text: '(no newline at the end)' }]
}

const linesOf = (text: string): string[] => text.split('\n').map(visibleLine)

/** Distinct lines always look distinct: doubles backslashes in front of apparent escapes, and escapes trailing spaces. */
const visibleLine = (line: string): string =>
  escapeInvisible(line.replace(/\\(?=[\\tnu]|[^ -~]| +$)/g, '\\\\')).replace(/ +$/u, (spaces) =>
    '\\u0020'.repeat(spaces.length),
  )

const hasKeys = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
