import { expect, test } from 'vitest'
import { readKeys, type TerminalKey } from './keys.ts'
import { type EditorEvent, emptyEditor, type LineEditor, pressKey } from './line-editor.ts'

const history = ['first', 'second\nline', 'third']
/** A person types letter by letter. */
const letters = (key: TerminalKey): TerminalKey[] =>
  key.type === 'text' && /^[ -~]*$/.test(key.text) ? [...key.text].map((text) => ({ type: 'text', text })) : [key]
const type = (input: string, from: LineEditor = emptyEditor) => {
  let editor = from
  const events: EditorEvent[] = []
  for (const key of readKeys(input, true).keys.flatMap(letters)) {
    const step = pressKey(editor, key, history)
    editor = step.editor
    if (step.event) events.push(step.event)
  }
  return { editor, events }
}
const [up, down, left, alt, paste] = [
  '\u001b[A',
  '\u001b[B',
  '\u001b[D',
  '\u001b\r',
  (text: string) => `\u001b[200~${text}\u001b[201~`,
] as const
/** The text, with a bar where the cursor is. */
const shown = ({ text, cursor }: LineEditor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

test.each([
  ['letters', 'abc', 'abc|'],
  ['in the middle', `ac${left}b`, 'ab|c'],
  ['backspace takes a whole character', 'a👩‍👩‍👧‍👦\u007f', 'a|'],
  ['left moves over a whole character', `ae\u0301${left}`, 'a|e\u0301'],
  ['a word back and gone', 'one two\u0017', 'one |'],
  ['to the start and to the end', `one two${left}${left}${left}\u0015`, '|two'],
  ['delete to the end', 'one two\u0001\u000b', '|'],
  ['Ctrl+D deletes while there is text', 'ab\u0001\u0004', '|b'],
  ['a backslash continues the line', 'one\\\rtwo', 'one\ntwo|'],
  ['Alt+Enter is a new line', `one${alt}two`, 'one\ntwo|'],
  ['pasted lines stay lines', paste('a\r\nb\tc'), 'a\nb  c|'],
  ['controls of pasted text are made visible', paste('a\u001b[31mb'), 'a␛[31mb|'],
  ['up and down move between lines first', `one${alt}two${up}!`, 'one!|\ntwo'],
  ['the history backwards', `${up}`, 'third|'],
  ['and its lines of several rows', `${up}${up}`, 'second\nline|'],
  ['the end of the history stays', `${up}${up}${up}${up}${up}${up}`, 'first|'],
  ['back to the own text', `mine${up}${up}${up}${down}${down}${down}`, 'mine|'],
  ['a search takes the newest that fits', '\u0012IR\r', 'third|'],
  ['and an older one', '\u0012ir\u0012\r', 'first|'],
  ['a search that is given up', 'mine\u0012fir\u001b', 'mine|'],
  ['a search without a find keeps the last one', '\u0012thx', 'third|'],
])('[C196] %s', (_name, input, expected) => expect(shown(type(input).editor)).toBe(expected))

test.each<[string, string, EditorEvent[]]>([
  ['Enter sends, and empties the line', 'hello\r', [{ type: 'submit', text: 'hello' }]],
  ['an empty line is sent, too: it may be an answer', '\r', [{ type: 'submit', text: '' }]],
  ['Ctrl+D in an empty line', '\u0004', [{ type: 'end-of-input' }]],
  ['Esc, Ctrl+C, Ctrl+L', '\u001b\u0003\u000c', [{ type: 'escape' }, { type: 'interrupt' }, { type: 'clear-screen' }]],
  ['Enter in a search takes the entry and does not send it', '\u0012ir\r', []],
])('[C196] %s', (_name, input, events) => expect(type(input).events).toEqual(events))
