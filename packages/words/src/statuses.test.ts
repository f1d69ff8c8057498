import { SESSION_STATUSES } from '@bridle/events/schemas'
import { expect, test } from 'vitest'
import { STATUS_NAMES, statusText, statusWords } from './statuses.ts'

const setOf = (name: 'isActive' | 'isWorking' | 'isTimed' | 'isEnded') =>
  STATUS_NAMES.filter((status) => statusWords(status)[name])

test('every status has a word', () => expect(STATUS_NAMES.toSorted()).toEqual(SESSION_STATUSES.toSorted()))

test.each([
  ['isActive', ['awaiting_approval', 'running', 'recovering', 'queued']],
  ['isWorking', ['running', 'recovering', 'queued']],
  ['isTimed', ['awaiting_approval', 'running', 'recovering']],
  ['isEnded', ['completed', 'failed', 'cancelled']],
] as const)('%s', (name, members) => expect(setOf(name)).toEqual(members))

test.each([
  ['awaiting_approval', 'Needs approval', 'needs approval'],
  ['recovering', 'Retrying', 'retrying'],
  ['a_later_one', 'A later one', 'a later one'],
  ['toString', 'ToString', 'tostring'],
])('%s', (status, word, text) => expect([statusWords(status).word, statusText(status)]).toEqual([word, text]))
