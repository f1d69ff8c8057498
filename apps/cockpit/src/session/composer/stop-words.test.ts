import { expect, test } from 'vitest'
import { draftWith, stopWords } from './stop-words.ts'

test('the button says what becomes of the queue', () => {
  expect(['chat', 'background'].map((kind) => stopWords(kind as 'chat', 0).more)).toEqual(['', ''])
  expect(stopWords('chat', 2).more).toBe(', then the next')
  expect(stopWords('background', 2).more).toBe(' and take back 2 queued')
})

test('prompts that were taken back stand behind the draft', () => {
  expect(draftWith('', ['one', 'two\nlines'])).toBe('one\n\ntwo\nlines')
  expect(draftWith('mine', ['one', ' '])).toBe('mine\n\none')
  expect(draftWith('mine', [])).toBe('mine')
})
