import { expect, test } from 'vitest'
import { keepTurnChoice, readTurnChoice, subscribeTurnChoices } from './turn-choice.ts'

test('[C435] each session keeps its own model and effort, and an empty choice is none', () => {
  const sessions = ['one', 'two', 'three'].map((id) => ({ id, agent: 'claude' }))
  const [one, two, three] = sessions as [SessionName, SessionName, SessionName]
  const namesake = { id: 'one', agent: 'reviewer' }
  let calls = 0
  const unsubscribe = subscribeTurnChoices(() => calls++)
  keepTurnChoice(one, { model: 'opus' })
  keepTurnChoice(two, { effort: 'low' })
  keepTurnChoice(one, { effort: 'max' })
  keepTurnChoice(two, { model: 'haiku' })
  keepTurnChoice(two, { effort: '' })
  expect([one, two, three, namesake].map(readTurnChoice)).toEqual([
    { model: 'opus', effort: 'max' },
    { model: 'haiku' },
    {},
    {},
  ])
  // The same object as long as nothing changes: the page would draw for ever.
  expect(readTurnChoice(three)).toBe(readTurnChoice(namesake))
  unsubscribe()
  keepTurnChoice(one, { model: '' })
  expect([calls, readTurnChoice(one)]).toEqual([5, { effort: 'max' }])
})

type SessionName = Parameters<typeof readTurnChoice>[0]
