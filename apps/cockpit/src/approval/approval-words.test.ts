import { expect, test } from 'vitest'
import { approvalWords, questionVerb } from './approval-words.ts'

test('a tool call, a budget and an unknown outcome ask for different answers', () => {
  expect(['tool', 'budget', 'unknown_outcome', null].map((kind) => approvalWords(kind).approve)).toEqual([
    'Approve',
    'Raise the limit',
    'Do it again',
    'Approve',
  ])
  // The arguments of a call that may have run are fixed, and a budget has none.
  expect(['tool', 'budget', 'unknown_outcome'].map((kind) => approvalWords(kind).canEdit)).toEqual([true, false, false])
})

test.each([
  ['tool', { command: 'ls' }, { verb: 'wants to run a command' }],
  ['tool', { path: 'a.ts', content: 'x' }, { verb: 'wants to write', object: 'a.ts' }],
  ['tool', { path: 'a.ts', old_text: 'x', new_text: 'y' }, { verb: 'wants to change', object: 'a.ts' }],
  ['tool', { old_text: 'x', new_text: 'y' }, { verb: 'wants to change a text' }],
  ['tool', null, { verb: 'wants to run' }],
  ['budget', { subject: 'max_cost_usd' }, { verb: 'is used up' }],
  ['unknown_outcome', { command: 'ls' }, { verb: 'may have run already' }],
])('%s %j', (kind, args, expected) => expect(questionVerb({ kind, args })).toEqual(expected))
