// The arguments of a call as a person reads them: a command as a command, an edit as a diff, a text as text, the rest as JSON by key. Every key
// is in exactly one part. Names of tools are not asked, for every agent has its own; the keys tell.

export interface ToolArguments {
  readonly [name: string]: unknown
}

export type ArgumentPart =
  | { readonly type: 'command'; readonly key: string; readonly text: string }
  | { readonly type: 'edit'; readonly path: string | null; readonly before: string; readonly after: string }
  /** The new contents of a whole file: the page does not know the old ones. */
  | { readonly type: 'file'; readonly path: string; readonly content: string }
  | { readonly type: 'text'; readonly key: string; readonly text: string }
  | { readonly type: 'json'; readonly key: string; readonly value: unknown }

export const argumentParts = (args: ToolArguments): ArgumentPart[] => {
  const rest = new Map<string, unknown>(Object.entries(args))
  const parts: ArgumentPart[] = []
  const takePath = (): string | null => {
    const key = PATH_KEYS.find((name) => typeof rest.get(name) === 'string')
    if (key === undefined) return null
    const path = rest.get(key) as string
    rest.delete(key)
    return path
  }

  for (const key of COMMAND_KEYS) {
    const text = commandText(rest.get(key))
    if (text === null) continue
    rest.delete(key)
    parts.push({ type: 'command', key, text })
    break
  }
  const pair = editIn(rest)
  const list = editsIn(rest.get('edits'))
  if (pair) {
    for (const key of pair.keys) rest.delete(key)
    parts.push({ type: 'edit', path: takePath(), before: pair.before, after: pair.after })
  } else if (list) {
    rest.delete('edits')
    const path = takePath()
    for (const edit of list) parts.push({ type: 'edit', path, before: edit.before, after: edit.after })
  } else {
    const key = CONTENT_KEYS.find((name) => typeof rest.get(name) === 'string')
    const path = key === undefined ? null : takePath()
    if (key !== undefined && path !== null) {
      parts.push({ type: 'file', path, content: rest.get(key) as string })
      rest.delete(key)
    }
  }
  return [...parts, ...[...rest].map(([key, value]) => restPart(key, value))]
}

const restPart = (key: string, value: unknown): ArgumentPart =>
  typeof value === 'string' ? { type: 'text', key, text: value } : { type: 'json', key, value }

const COMMAND_KEYS = ['command', 'cmd', 'argv', 'script'] as const
const FOLDER_KEYS = ['cwd', 'workdir', 'folder']
const PATH_KEYS = ['path', 'file_path', 'filePath', 'filename', 'file'] as const
const CONTENT_KEYS = ['content', 'contents', 'new_content', 'file_text', 'text'] as const
/** Keys that say most about a call that is neither a command nor a change, the best first. */
const TELLING_KEYS: readonly string[] = [...PATH_KEYS, 'query', 'pattern', 'url', 'prompt', 'name']
const EDIT_KEYS = [
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['oldString', 'newString'],
] as const

/** A command as a shell would take it. A list of words is quoted where a word has more than plain characters. */
const commandText = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === 'string')) return null
  return value.map((word: string) => (/^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

interface Edit {
  readonly keys: readonly string[]
  readonly before: string
  readonly after: string
}

const editIn = (args: ReadonlyMap<string, unknown>): Edit | null => {
  for (const keys of EDIT_KEYS) {
    const [before, after] = keys.map((key) => args.get(key))
    if (typeof before === 'string' && typeof after === 'string') return { keys, before, after }
  }
  return null
}

/** A list of edits, where each has two texts and nothing else: other fields would not be seen. */
const editsIn = (value: unknown): Edit[] | null => {
  if (!Array.isArray(value) || value.length === 0) return null
  const edits = value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) return null
    const edit = editIn(new Map(Object.entries(item)))
    return edit && Object.keys(item).length === edit.keys.length ? edit : null
  })
  return edits.every((edit) => edit !== null) ? edits : null
}

/** The folder that a command runs in; null where the arguments name none. */
export const folderOf = (parts: readonly ArgumentPart[]): string | null => {
  const part = parts.find((each) => each.type === 'text' && FOLDER_KEYS.includes(each.key))
  return part?.type === 'text' ? part.text : null
}

/** The thing that a call is about, in a few words: a list has one line for it. */
export const argumentSummary = (args: ToolArguments | null): string => {
  const parts = args ? argumentParts(args) : []
  const [first] = parts
  if (!first) return ''
  if (first.type === 'command') return first.text
  if (first.type === 'file') return first.path
  if (first.type === 'edit') return first.path ?? 'an edit'
  const texts = new Map(parts.flatMap((part) => (part.type === 'text' ? [[part.key, part.text] as const] : [])))
  const key = TELLING_KEYS.find((name) => texts.has(name)) ?? texts.keys().next().value
  if (key !== undefined) return texts.get(key) ?? ''
  return first.type === 'json' ? `${first.key}: ${JSON.stringify(first.value)}` : ''
}
