// A call that changes a file, as a path and the lines that it removes and adds. The keys of the arguments tell, since every agent has
// its own names for tools.
import { isJsonObject } from '@bridle/events/json'
import { type LineChange, lineChanges } from './argument-diff.ts'
import { escapeInvisible } from './text-lines.ts'

export interface FileChange {
  readonly path: string
  readonly edits: readonly FileEdit[]
}

export interface FileEdit {
  /** Every line of both texts; invisible characters are escaped. */
  readonly lines: readonly LineChange[]
  /** Arguments beside the texts. */
  readonly options: { readonly [name: string]: unknown }
}

/** Null where the arguments have any other shape: a diff must not hide an argument that it does not know. */
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

/** A path as it is where nobody can mistake it, else as JSON. */
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

/** A newline ends a line, and begins none. All lines of a file are added ones, so none of them can imitate a remark about its end. */
const addedLines = (content: string): LineChange[] => {
  if (content === '') return [{ mark: '·', text: '(empty)' }]
  const added = linesOf(content.replace(/\n$/, '')).map((text): LineChange => ({ mark: '+', text }))
  return content.endsWith('\n') ? added : [...added, { mark: '·', text: '(no newline at the end)' }]
}

const linesOf = (text: string): string[] => text.split('\n').map(visibleLine)

/**
 * Two different lines never look the same: a backslash before what could be an escape is doubled, and spaces at the end, which no
 * terminal shows, are escaped.
 */
const visibleLine = (line: string): string =>
  escapeInvisible(line.replace(/\\(?=[\\tnu]|[^ -~]| +$)/g, '\\\\')).replace(/ +$/u, (spaces) =>
    '\\u0020'.repeat(spaces.length),
  )

const hasKeys = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
