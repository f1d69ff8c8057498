import { isDeepStrictEqual } from 'node:util'
import { EVENT_TYPES, type EventType } from '@bridle/events/catalogue'
import { expect, test } from 'vitest'
import { emptyState, type SessionState } from '../projections/state.ts'
import { foldVersion, goldenLogs, goldenStates } from './fold-version.ts'

test('is the same each time, and short', () => {
  expect(foldVersion()).toBe(foldVersion())
  expect(foldVersion()).toMatch(/^[0-9a-f]{14}$/)
  expect(goldenLogs()).toEqual(goldenLogs())
})

/** Shown to people and counted by nobody. */
const unread: readonly EventType[] = ['session', 'artifact_chunk']

test('the golden logs have every event that a fold reads: a fold that changes elsewhere would go unnoticed', () => {
  const seen = new Set<string>(goldenLogs().flatMap((log) => log.map(({ type }) => type)))
  expect(EVENT_TYPES.filter((type) => !seen.has(type) && !unread.includes(type))).toEqual([])
})

test('the golden logs leave something in every part of the state', () => {
  for (const [name, empty] of Object.entries(emptyState)) {
    const filled = goldenStates().some((state) => !isDeepStrictEqual(state[name as keyof SessionState], empty))
    expect(filled, name).toBe(true)
  }
})
