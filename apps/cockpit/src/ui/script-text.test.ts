import { expect, test } from 'vitest'
import { foldScript, titleText } from './script-text.ts'

test.each([
  ['@script [{"text":"one"},{"text":"two"}]', 'A script of 2 steps'],
  ['@script [{"text":"one"}]\n', 'A script of 1 step'],
  ['@script [{"text":"on…', 'A script'],
  ['@script [{"text":"a Answered: b"}]', 'A script of 1 step'],
  [
    'Branched from p1 at ev-3. Asked: @script [{"text":"o… Answered: two',
    'Branched from p1 at ev-3. Asked: a script Answered: two',
  ],
  ['Asked: @script [{}]', 'Asked: a script of 1 step'],
  ['What does `@script [` do?', 'What does `@script [` do?'],
  ['@script is a word', '@script is a word'],
])('%j reads %j', (text, folded) => expect(foldScript(text)).toBe(folded))

test('a session without a title has its id', () => {
  expect(titleText({ title: '', id: 's-1' })).toBe('s-1')
  expect(titleText({ title: null, id: 's-1' })).toBe('s-1')
  expect(titleText({ title: '@script [{}]', id: 's-1' })).toBe('A script of 1 step')
})

test('a branch is told apart from its origin', () => {
  expect(titleText({ title: 'Codemod', id: 's-1', branch_source_event_id: null })).toBe('Codemod')
  expect(titleText({ title: 'Codemod', id: 's-2', branch_source_event_id: 'ev-52' })).toBe('Codemod (branch)')
  expect(titleText({ title: '', id: 's-2', branch_source_event_id: 'ev-52' })).toBe('s-2')
})
