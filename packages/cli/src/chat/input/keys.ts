// Parses terminal input as keys. An incomplete sequence is kept for the next chunk.

/** Terminals send far shorter sequences. */
const SEQUENCE_CHARS_MAX = 32

export type TerminalKey =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly name: KeyName }

export type KeyName = 'escape' | ValueOf<typeof controls> | ValueOf<typeof altKeys> | ValueOf<typeof sequences>

type ValueOf<T> = T[keyof T]

export interface KeyBatch {
  readonly keys: readonly TerminalKey[]
  readonly rest: string
}

/** `isOver`: nothing follows, so a lone escape is the Esc key. */
export const readKeys = (input: string, isOver = false): KeyBatch => {
  const keys: TerminalKey[] = []
  let at = 0
  while (at < input.length) {
    const found = keyAt(input, at, isOver)
    if (!found) return { keys, rest: input.slice(at) }
    if (found.key) keys.push(found.key)
    at = found.end
  }
  return { keys, rest: '' }
}

interface FoundKey {
  readonly key: TerminalKey | null
  readonly end: number
}

const keyAt = (input: string, at: number, isOver: boolean): FoundKey | null => {
  const control = nameIn(controls, input[at] as string)
  if (control !== undefined) return { key: { type: 'key', name: control }, end: at + 1 }
  if (input[at] === ESC) return escapeAt(input, at, isOver)
  const [text = ''] = /^[^\p{Cc}]+/u.exec(input.slice(at)) ?? []
  return text === '' ? { key: null, end: at + 1 } : { key: { type: 'text', text }, end: at + text.length }
}

const escapeAt = (input: string, at: number, isOver: boolean): FoundKey | null => {
  if (input.startsWith(PASTE_START, at)) return pasteAt(input, at + PASTE_START.length)
  const tail = input.slice(at + 1, at + 1 + SEQUENCE_CHARS_MAX)
  const sequence = /^(?:\[[\d;<=>?]*[ -/]*[@-~]|O[A-Za-z])/.exec(tail)?.[0]
  if (sequence !== undefined) {
    const name = nameIn(sequences, sequence.replace(/^\[1;1/, '['))
    return { key: name === undefined ? null : { type: 'key', name }, end: at + 1 + sequence.length }
  }
  const name = nameIn(altKeys, tail[0] ?? '')
  if (name !== undefined) return { key: { type: 'key', name }, end: at + 2 }
  const isUnfinished = tail === '' || /^(\[[\d;<=>?]*[ -/]*|O)$/.test(tail)
  if (isUnfinished && !isOver) return null
  if (tail === '' || /^\p{Cc}/u.test(tail)) return { key: { type: 'key', name: 'escape' }, end: at + 1 }
  // Ignore unknown Alt combinations and incomplete sequences.
  return { key: null, end: at + 1 + (isUnfinished ? tail.length : 1) }
}

/** Pasted text is literal. Null until its end arrives. */
const pasteAt = (input: string, from: number): FoundKey | null => {
  const end = input.indexOf(PASTE_END, from)
  if (end < 0) return null
  const text = input.slice(from, end).replace(/\r\n?/g, '\n')
  return { key: { type: 'paste', text }, end: end + PASTE_END.length }
}

const nameIn = (table: { readonly [sequence: string]: KeyName }, sequence: string): KeyName | undefined =>
  table[sequence]

const ESC = '\u001b'
const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'

const controls = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\u0008': 'backspace',
  '\u0001': 'home',
  '\u0002': 'left',
  '\u0003': 'interrupt',
  '\u0004': 'end-of-input',
  '\u0005': 'end',
  '\u0006': 'right',
  '\u000b': 'delete-to-end',
  '\u000c': 'clear-screen',
  '\u000e': 'down',
  '\u0010': 'up',
  '\u0012': 'search',
  '\u0015': 'delete-to-start',
  '\u0017': 'delete-word',
  '\u001a': 'suspend',
} as const

const altKeys = {
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
  d: 'delete-word-right',
  '\u007f': 'delete-word',
} as const

const sequences = {
  '[A': 'up',
  OA: 'up',
  '[B': 'down',
  OB: 'down',
  '[C': 'right',
  OC: 'right',
  '[D': 'left',
  OD: 'left',
  '[H': 'home',
  OH: 'home',
  '[1~': 'home',
  '[7~': 'home',
  '[F': 'end',
  OF: 'end',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[1;5C': 'word-right',
  '[1;3C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3D': 'word-left',
  '[13;2u': 'newline',
  '[27;2;13~': 'newline',
  '[13;3u': 'newline',
} as const
