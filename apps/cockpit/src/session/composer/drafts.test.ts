import { expect, test } from 'vitest'
import { keepDraft, readDraft, subscribeDrafts } from './drafts.ts'

test('a draft belongs to one session of one agent, and goes with its last character', () => {
  let changes = 0
  const unsubscribe = subscribeDrafts(() => {
    changes += 1
  })
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
  expect(changes).toBe(4)
  unsubscribe()
  for (const name of names) keepDraft(name, '')
})
