import { expect, test } from 'vitest'
import { readKeys, type TerminalKey } from './keys.ts'

const key = (name: string) => ({ type: 'key', name }) as TerminalKey
const text = (words: string) => ({ type: 'text', text: words }) as TerminalKey

test.each<[string, string, TerminalKey[], string]>([
  ['text and Enter', 'hi\r', [text('hi'), key('enter')], ''],
  ['text of several bytes', '世界👩‍👩‍👧‍👦', [text('世界👩‍👩‍👧‍👦')], ''],
  ['arrows of both kinds', '\u001b[A\u001bOB', [key('up'), key('down')], ''],
  ['words', '\u001b[1;5D\u001bf', [key('word-left'), key('word-right')], ''],
  ['Alt+Enter and Shift+Enter are new lines', '\u001b\r\u001b[13;2u', [key('newline'), key('newline')], ''],
  [
    'pasted text is one piece, whatever is in it',
    '\u001b[200~a\r\nb\rc\u001b[A\u001b[201~d',
    [{ type: 'paste', text: 'a\nb\nc\u001b[A' }, text('d')],
    '',
  ],
  ['pasted text that has not ended', 'x\u001b[200~a', [text('x')], '\u001b[200~a'],
  ['half a sequence', 'x\u001b[1;', [text('x')], '\u001b[1;'],
  ['a lone escape waits', '\u001b', [], '\u001b'],
  ['Esc, then a key', '\u001b\u001b[A', [key('escape'), key('up')], ''],
  ['sequences without a meaning', '\u001b[5~\u001b[?1;2c\u001bx\u0000a', [text('a')], ''],
  [
    'controls',
    '\u0003\u0004\u0012\u0015\u0017\u007f\t',
    [
      key('interrupt'),
      key('end-of-input'),
      key('search'),
      key('delete-to-start'),
      key('delete-word'),
      key('backspace'),
      key('tab'),
    ],
    '',
  ],
])('%s', (_name, input, keys, rest) => expect(readKeys(input)).toEqual({ keys, rest }))

test('an escape that nothing follows is the key Esc; half a sequence is dropped', () => {
  expect(readKeys('\u001b', true)).toEqual({ keys: [key('escape')], rest: '' })
  expect(readKeys('\u001b[1;', true)).toEqual({ keys: [], rest: '' })
})

test('the same keys, wherever the input is cut', () => {
  const input = 'a世\u001b[A\u001b[200~x\ny\u001b[201~\u001b\r\u001b[1;5Cb\r'
  const whole = readKeys(input).keys
  for (let cut = 1; cut < input.length; cut++) {
    const first = readKeys(input.slice(0, cut))
    const second = readKeys(first.rest + input.slice(cut))
    const joined: TerminalKey[] = []
    for (const each of [...first.keys, ...second.keys]) {
      const last = joined.at(-1)
      if (last?.type === 'text' && each.type === 'text') joined.splice(-1, 1, text(last.text + each.text))
      else joined.push(each)
    }
    expect(joined).toEqual(whole)
  }
})
