import { expect, test } from 'vitest'
import { decisionOf } from './proposal-decision.ts'

const proposal = { key: 'budget', contentType: 'application/json' }
const proposed = '{"attempts":3}'

test('an accepted proposal sends only what a person changed, and JSON as JSON', () => {
  expect(decisionOf({ proposal, proposed, key: 'budget', value: proposed })).toEqual({})
  expect(decisionOf({ proposal, proposed, key: 'other', value: '{"attempts":2}' })).toEqual({
    key: 'other',
    value: { attempts: 2 },
  })
  expect(decisionOf({ proposal, proposed, key: 'budget', value: 'two' })).toEqual({ value: 'two' })
  const text = { key: 'note', contentType: 'text/plain' }
  expect(decisionOf({ proposal: text, proposed: 'a', key: 'note', value: '3' })).toEqual({ value: '3' })
})
