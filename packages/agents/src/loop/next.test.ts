import { expect, test } from 'vitest'
import { type CallSituation, type NextAction, next, type Situation } from './next.ts'

const T = 1_000
const fresh: Situation = {
  now: T,
  limits: { steps: 50, calls: 200, turnMs: 1_800_000 },
  steps: 0,
  callCount: 0,
  isLooping: false,
  workMs: 0,
  calls: null,
  hasNews: false,
  retryAt: null,
  room: 'enough',
  output: 'none',
  reminders: 0,
  isStartDue: false,
  isReviewed: false,
}
const call = (id: string, stage: CallSituation['stage'], effect: CallSituation['effect'] = 'unsafe') => ({
  id,
  stage,
  effect,
})
const after = (...calls: CallSituation[]): Partial<Situation> => ({ steps: 1, callCount: calls.length, calls })

test.each<[string, Partial<Situation>, NextAction]>([
  ['a run that has just started', {}, { type: 'think' }],
  ['a crash while the model speaks: the step is not in the log', {}, { type: 'think' }],
  ['a window that is nearly full', { room: 'short' }, { type: 'compact' }],
  ['a crash in mid-summary', { ...after(call('a', 'settled')), room: 'short' }, { type: 'compact' }],
  ['a summary failed a moment ago', { room: 'short', retryAt: T + 1 }, { type: 'wait', until: T + 1 }],
  ['no room is made for a turn that is over', { ...after(), room: 'short' }, { type: 'finish' }],
  ['calls come before room for them', { ...after(call('a', 'new')), room: 'short' }, { type: 'begin', calls: ['a'] }],
  [
    'a crash while the model speaks again: earlier steps are not asked again',
    after(call('a', 'settled')),
    { type: 'think' },
  ],
  [
    'a crash between the answer and its calls',
    after(call('a', 'new'), call('b', 'new')),
    { type: 'begin', calls: ['a', 'b'] },
  ],
  ['a pure call under way', after(call('a', 'begun', 'pure')), { type: 'repeat', calls: ['a'] }],
  ['an idempotent call under way', after(call('a', 'begun', 'idempotent')), { type: 'repeat', calls: ['a'] }],
  ['an unsafe call under way', after(call('a', 'begun')), { type: 'ask', calls: ['a'] }],
  [
    'some calls of a wave done, the others pure',
    after(call('a', 'settled'), call('b', 'begun', 'pure'), call('c', 'begun', 'pure'), call('d', 'new')),
    { type: 'repeat', calls: ['b', 'c'] },
  ],
  [
    'some calls of a wave done, the others mixed: the question first, since a person takes longer',
    after(call('a', 'settled'), call('b', 'begun', 'pure'), call('c', 'begun')),
    { type: 'ask', calls: ['c'] },
  ],
  [
    'the question is asked: the pure call is repeated meanwhile',
    after(call('b', 'begun', 'pure'), call('c', 'asked')),
    { type: 'repeat', calls: ['b'] },
  ],
  [
    'a call that a child does',
    after({ ...call('a', 'begun', 'idempotent'), isDelegated: true }, call('b', 'begun', 'pure')),
    { type: 'repeat', calls: ['b'] },
  ],
  [
    'a call that a child does, while a person is asked about another',
    after({ ...call('a', 'begun', 'idempotent'), isDelegated: true }, call('b', 'asked'), call('c', 'new')),
    { type: 'delegate', calls: ['a'] },
  ],
  ['while waiting for an answer', after(call('a', 'asked'), call('b', 'new')), { type: 'wait', until: null }],
  [
    'while waiting for an answer a steering prompt comes',
    { ...after(call('a', 'asked')), hasNews: true },
    { type: 'wait', until: null },
  ],
  ['an answer given and not used', after(call('a', 'answered'), call('b', 'asked')), { type: 'use_answers' }],
  [
    'an answer given while another call was under way',
    after(call('a', 'begun'), call('b', 'answered')),
    { type: 'use_answers' },
  ],
  ['an approved call under way, unsafe', after(call('a', 'begun')), { type: 'ask', calls: ['a'] }],
  ['an approved call under way, idempotent', after(call('a', 'begun', 'idempotent')), { type: 'repeat', calls: ['a'] }],
  ['the next wave', after(call('a', 'settled'), call('b', 'new')), { type: 'begin', calls: ['b'] }],
  ['all calls settled', after(call('a', 'settled'), call('b', 'settled')), { type: 'think' }],
  ['after the last answer, before the end', after(), { type: 'finish' }],
  ['a steering prompt after the last answer', { ...after(), hasNews: true }, { type: 'think' }],
  ['while waiting for a moment', { retryAt: T + 1 }, { type: 'wait', until: T + 1 }],
  ['the moment has come', { retryAt: T }, { type: 'think' }],

  ['an output is wanted and was not given', { ...after(), output: 'missing' }, { type: 'remind' }],
  ['the model was reminded', { ...after(), output: 'missing', reminders: 1, hasNews: true }, { type: 'think' }],
  ['the second reminder', { ...after(), output: 'missing', reminders: 1 }, { type: 'remind' }],
  ['no third reminder', { ...after(), output: 'missing', reminders: 2 }, { type: 'stop', reason: 'output_invalid' }],
  [
    'the third output that does not fit',
    { ...after(call('a', 'settled')), output: 'missing', reminders: 3 },
    { type: 'stop', reason: 'output_invalid' },
  ],
  [
    'the second output that does not fit',
    { ...after(call('a', 'settled')), output: 'missing', reminders: 2 },
    { type: 'think' },
  ],
  ['calls besides the output', { ...after(call('a', 'settled')), output: 'missing' }, { type: 'think' }],
  ['the output is given', { ...after(call('a', 'settled')), output: 'given' }, { type: 'finish' }],
  [
    'the output is given, other calls are not made yet',
    { ...after(call('a', 'new'), call('b', 'settled')), output: 'given' },
    { type: 'begin', calls: ['a'] },
  ],

  ['middleware has not started the turn', { isStartDue: true }, { type: 'start' }],
  ['room is made behind the start of the turn', { isStartDue: true, room: 'short' }, { type: 'start' }],
  ['middleware came to a turn that has begun', { ...after(), isStartDue: true }, { type: 'finish' }],
  [
    'middleware came to a turn that has made a call',
    { ...after(call('a', 'settled')), isStartDue: true },
    { type: 'think' },
  ],
  ['middleware looks at the answer', { ...after(), isReviewed: true }, { type: 'review' }],
  ['middleware looks at no answer that is not there', { isReviewed: true }, { type: 'think' }],
  ['the answer was sent back', { ...after(), isReviewed: true, hasNews: true }, { type: 'think' }],
  [
    'middleware looks at the output',
    { ...after(call('a', 'settled')), output: 'given', isReviewed: true },
    { type: 'review' },
  ],
  [
    'the output was sent back',
    { ...after(call('a', 'settled')), output: 'missing', isReviewed: true, hasNews: true },
    { type: 'think' },
  ],
  [
    'no middleware looks at a text where an output is missing',
    { ...after(), output: 'missing', isReviewed: true },
    { type: 'remind' },
  ],
  [
    'no middleware looks at the answer of a model in a circle',
    { ...after(call('a', 'settled')), isReviewed: true, isLooping: true },
    { type: 'stop', reason: 'loop' },
  ],

  ['the last step that is allowed', { ...after(call('a', 'settled')), steps: 49 }, { type: 'think' }],
  ['no more steps', { ...after(call('a', 'settled')), steps: 50 }, { type: 'stop', reason: 'max_steps' }],
  ['the last step answers', { ...after(), steps: 50 }, { type: 'finish' }],
  ['as many calls as are allowed', { ...after(call('a', 'new')), callCount: 200 }, { type: 'begin', calls: ['a'] }],
  ['too many calls', { ...after(call('a', 'new')), callCount: 201 }, { type: 'stop', reason: 'max_calls' }],
  ['no more time for the model', { workMs: 1_800_000 }, { type: 'stop', reason: 'max_time' }],
  ['no more time for calls', { ...after(call('a', 'new')), workMs: 1_800_000 }, { type: 'stop', reason: 'max_time' }],
  ['an answer in the last moment', { ...after(), workMs: 1_800_000 }, { type: 'finish' }],
  ['a model in a circle', { ...after(call('a', 'settled')), isLooping: true }, { type: 'stop', reason: 'loop' }],
])('[N40] %s', (_name, given, expected) => {
  expect(next({ ...fresh, ...given })).toEqual(expected)
})
