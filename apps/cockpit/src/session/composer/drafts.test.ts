import { expect, test } from 'vitest'
import { keepDraft, readDraft } from './drafts.ts'

test('a draft belongs to one session of one agent, and goes with its last character', () => {
  keepDraft({ id: 'a', agent: 'one' }, 'first')
  keepDraft({ id: 'a', agent: 'two' }, 'second')
  keepDraft({ id: 'b', agent: 'one' }, 'third')
  keepDraft({ id: 'b', agent: 'one' }, '')
  const names = [
    { id: 'a', agent: 'one' },
    { id: 'a', agent: 'two' },
    { id: 'b', agent: 'one' },
  ]
  expect(names.map(readDraft)).toEqual(['first', 'second', ''])
  for (const name of names) keepDraft(name, '')
})
