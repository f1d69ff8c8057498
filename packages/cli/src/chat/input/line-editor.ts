// The input line as a value: text, cursor, history position and search. Pure: keys produce a new value.
import { glyphsOf } from '../../terminal/display-width.ts'
import { escapeControls } from '../../terminal/output.ts'
import type { KeyName, TerminalKey } from './keys.ts'

/** Longer than any grapheme cluster, so that moving by one character need not scan the whole text. */
const CLUSTER_CHARS_MAX = 64

export interface LineEditor {
  readonly text: string
  readonly cursor: number
  /** Steps back in the history. 0 is the user's own text, which `draft` keeps in the meantime. */
  readonly back: number
  readonly draft: string
  /** The Ctrl+R search. Null: none. */
  readonly search: { readonly query: string; readonly skip: number } | null
}

export type EditorEvent = { readonly type: 'submit'; readonly text: string } | { readonly type: KeyEventName }

const eventNames = ['escape', 'interrupt', 'end-of-input', 'clear-screen', 'suspend', 'tab'] as const

type KeyEventName = (typeof eventNames)[number]

export interface EditorStep {
  readonly editor: LineEditor
  readonly event: EditorEvent | null
}

export const emptyEditor: LineEditor = { text: '', cursor: 0, back: 0, draft: '', search: null }

export const editorWith = (text: string): LineEditor => ({ ...emptyEditor, text, cursor: text.length })

/** `history` is oldest first. */
export const pressKey = (editor: LineEditor, key: TerminalKey, history: readonly string[]): EditorStep => {
  if (editor.search) return searchKey(editor, editor.search, key, history)
  if (key.type !== 'key') return { editor: insert(editor, cleanInput(key.text)), event: null }
  if (key.name === 'enter') return enter(editor)
  const isEvent = (eventNames as readonly string[]).includes(key.name)
  // Ctrl+D deletes while there is text. Only an empty line ends the input.
  if (key.name === 'end-of-input' && editor.text !== '') return { editor: remove(editor, next(editor)), event: null }
  if (isEvent) return { editor, event: { type: key.name as KeyEventName } }
  return { editor: edits[key.name as keyof typeof edits]?.(editor, history) ?? editor, event: null }
}

/** Tabs become spaces. Control characters in pasted text are made visible, because the terminal would execute them. */
const cleanInput = (text: string): string => escapeControls(text.replaceAll('\t', '  ').replace(/\r\n?/g, '\n'))

/** A trailing backslash continues the line. */
const enter = (editor: LineEditor): EditorStep => {
  const { text, cursor } = editor
  if (text[cursor - 1] === '\\') {
    const shorter = { ...editor, text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 }
    return { editor: insert(shorter, '\n'), event: null }
  }
  return { editor: emptyEditor, event: { type: 'submit', text } }
}

const insert = (editor: LineEditor, added: string): LineEditor => ({
  ...editor,
  text: editor.text.slice(0, editor.cursor) + added + editor.text.slice(editor.cursor),
  cursor: editor.cursor + added.length,
})

const remove = (editor: LineEditor, place: number): LineEditor => {
  const [from, to] = place < editor.cursor ? [place, editor.cursor] : [editor.cursor, place]
  return { ...editor, text: editor.text.slice(0, from) + editor.text.slice(to), cursor: from }
}

const moveTo = (editor: LineEditor, cursor: number): LineEditor => ({ ...editor, cursor })

const next = ({ text, cursor }: LineEditor): number =>
  cursor + (glyphsOf(text.slice(cursor, cursor + CLUSTER_CHARS_MAX))[0]?.text.length ?? 0)
const previous = ({ text, cursor }: LineEditor): number =>
  cursor - (glyphsOf(text.slice(Math.max(cursor - CLUSTER_CHARS_MAX, 0), cursor)).at(-1)?.text.length ?? 0)

const lineStart = ({ text, cursor }: LineEditor): number => text.lastIndexOf('\n', cursor - 1) + 1
const lineEnd = ({ text, cursor }: LineEditor): number => {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}
const wordStart = ({ text, cursor }: LineEditor): number =>
  text.slice(0, cursor).search(/\S+\s*$/) >= 0 ? text.slice(0, cursor).search(/\S+\s*$/) : 0
const wordEnd = ({ text, cursor }: LineEditor): number => cursor + (/^\s*\S+/.exec(text.slice(cursor))?.[0].length ?? 0)

/** Up and down move within a multi-line text first, then through the history. */
const up = (editor: LineEditor, history: readonly string[]): LineEditor => {
  const start = lineStart(editor)
  if (start > 0) {
    const above = lineStart({ ...editor, cursor: start - 1 })
    return moveTo(editor, Math.min(above + editor.cursor - start, start - 1))
  }
  const entry = history[history.length - editor.back - 1]
  if (entry === undefined) return editor
  return { ...editorWith(entry), back: editor.back + 1, draft: editor.back === 0 ? editor.text : editor.draft }
}

const down = (editor: LineEditor, history: readonly string[]): LineEditor => {
  const end = lineEnd(editor)
  if (end < editor.text.length) {
    const below = { ...editor, cursor: end + 1 }
    return moveTo(editor, Math.min(end + 1 + editor.cursor - lineStart(editor), lineEnd(below)))
  }
  if (editor.back === 0) return editor
  const entry = editor.back === 1 ? editor.draft : history[history.length - editor.back + 1]
  return { ...editorWith(entry ?? ''), back: editor.back - 1, draft: editor.draft }
}

const edits: {
  readonly [N in Exclude<KeyName, KeyEventName | 'enter'>]: (
    editor: LineEditor,
    history: readonly string[],
  ) => LineEditor
} = {
  newline: (editor) => insert(editor, '\n'),
  backspace: (editor) => remove(editor, previous(editor)),
  delete: (editor) => remove(editor, next(editor)),
  left: (editor) => moveTo(editor, previous(editor)),
  right: (editor) => moveTo(editor, next(editor)),
  home: (editor) => moveTo(editor, lineStart(editor)),
  end: (editor) => moveTo(editor, lineEnd(editor)),
  'word-left': (editor) => moveTo(editor, wordStart(editor)),
  'word-right': (editor) => moveTo(editor, wordEnd(editor)),
  'delete-word': (editor) => remove(editor, wordStart(editor)),
  'delete-word-right': (editor) => remove(editor, wordEnd(editor)),
  'delete-to-start': (editor) => remove(editor, lineStart(editor)),
  'delete-to-end': (editor) => remove(editor, lineEnd(editor)),
  up,
  down,
  search: (editor) => ({ ...editor, draft: editor.text, search: { query: '', skip: 0 } }),
}

/** During a Ctrl+R search, letters narrow it, Ctrl+R continues backwards, Enter and arrows accept the entry, and Esc cancels. */
const searchKey = (
  editor: LineEditor,
  search: { readonly query: string; readonly skip: number },
  key: TerminalKey,
  history: readonly string[],
): EditorStep => {
  const look = (query: string, skip: number): EditorStep => {
    const found = findEntry(history, query, skip)
    const text = found ?? editor.text
    const shown = found === null && skip > 0 ? search : { query, skip }
    return { editor: { ...editor, text, cursor: text.length, search: shown }, event: null }
  }
  if (key.type !== 'key') return look(search.query + cleanInput(key.text).replaceAll('\n', ' '), 0)
  if (key.name === 'search') return look(search.query, search.skip + 1)
  if (key.name === 'backspace') return look(search.query.slice(0, -1), 0)
  if (key.name === 'escape' || key.name === 'interrupt') return { editor: editorWith(editor.draft), event: null }
  const taken = editorWith(editor.text)
  return key.name === 'enter' ? { editor: taken, event: null } : pressKey(taken, key, history)
}

const findEntry = (history: readonly string[], query: string, skip: number): string | null => {
  if (query === '') return null
  const found = [...new Set(history.toReversed())].filter((entry) => entry.toLowerCase().includes(query.toLowerCase()))
  return found[skip] ?? null
}
