import { expect, test } from 'vitest'
import { editText } from './text-edit.ts'

const edit = (text: string, oldText: string, newText: string, all = false) => editText(text, { oldText, newText, all })

test.each<[string, Parameters<typeof edit>, ReturnType<typeof edit>]>([
  ['one place', ['a b c', 'b', 'x'], { kind: 'edited', text: 'a x c', places: 1 }],
  ['several places', ['b b b', 'b', 'x'], { kind: 'many_matches', places: 3 }],
  ['all places', ['b b b', 'b', 'x', true], { kind: 'edited', text: 'x x x', places: 3 }],
  ['none', ['a', 'b', 'x'], { kind: 'no_match' }],
  ['none, though the new text is there', ['a x', 'b', 'x'], { kind: 'done' }],
  ['removed', ['a b', ' b', ''], { kind: 'edited', text: 'a', places: 1 }],
  ['removed again', ['a', ' b', ''], { kind: 'no_match' }],
  ['more behind a line', ['one\ntwo', 'one\n', 'one\nmore\n'], { kind: 'edited', text: 'one\nmore\ntwo', places: 1 }],
  ['more behind a line, again', ['one\nmore\ntwo', 'one\n', 'one\nmore\n'], { kind: 'done' }],
  ['the old text twice in the new one, again', ['(a a)', 'a', 'a a'], { kind: 'done' }],
  ['all, of which some are done', ['ab a', 'a', 'ab', true], { kind: 'edited', text: 'ab ab', places: 1 }],
  ['a result that matches again', ['aaaa', 'aa', 'a', true], { kind: 'edit_repeats' }],
  ['a result that matches again, once', ['x x yy', 'x y', ''], { kind: 'edit_repeats' }],
])('[N147] %s', (_name, args, expected) => {
  expect(edit(...args)).toEqual(expected)
})

test('[N147] whatever the texts are, a repeated edit changes nothing', () => {
  const letters = (length: number, seed: number) =>
    Array.from({ length }, (_, index) => 'ab'[(seed >> index) & 1]).join('')
  const repeated: unknown[] = []
  for (let seed = 0; seed < 2 ** 8; seed++)
    for (let parts = 0; parts < 2 ** 5; parts++)
      for (const all of [true, false]) {
        const replacement = [letters(2, parts), letters(3, parts >> 2), all] as const
        const first = edit(letters(8, seed), ...replacement)
        if (first.kind === 'edited' && edit(first.text, ...replacement).kind === 'edited') repeated.push(replacement)
      }
  expect(repeated).toEqual([])
})
