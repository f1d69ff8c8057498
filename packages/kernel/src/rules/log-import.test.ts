import { expect, test } from 'vitest'
import type { Command } from '../commands.ts'
import type { AnyEvent, Key } from '../event.ts'
import { emptyState, type SessionState, statusOf } from '../projections/state.ts'
import { decide } from './decide.ts'
import { dueTimes } from './due-time.ts'
import { wantedEffects } from './wanted-effects.ts'

const key: Key = { tenant: 't', agent: 'a', id: 's' }

/** The log that these commands make, a second between two of them. */
const logOf = (commands: readonly ((state: SessionState) => Command)[]): readonly AnyEvent[] => {
  const events: AnyEvent[] = []
  let state = emptyState
  for (const [index, command] of commands.entries()) {
    const decided = decide(key, state, command(state), 1_000 * (index + 1))
    expect(decided.outcome).not.toHaveProperty('refused')
    events.push(...decided.events)
    state = decided.state
  }
  return events
}

const report =
  (...items: (Command & { type: 'report' })['items']) =>
  ({ lifecycle: { run } }: SessionState): Command => ({
    ...{ type: 'report', runId: run?.runId ?? '', attempt: run?.attempt ?? 0, frame: null, items },
  })

const working = [
  () => ({
    ...{ type: 'submit', prompt: 'one' },
    opening: { kind: 'background', parentSessionId: 'p', expiresAt: 50_000 },
  }),
  report({ type: 'started', durable: true }),
  report(
    { type: 'event', event: { type: 'tool_call', payload: { name: 'pay', arguments: {}, tool_call_id: 'c' } } },
    { type: 'ask', toolCallId: 'c', tool: 'pay', arguments: {}, reason: 'pays', digest: 'd' },
  ),
] as const satisfies readonly ((state: SessionState) => Command)[]

const imported = (events: readonly AnyEvent[], now = 60_000) =>
  decide(
    key,
    emptyState,
    {
      type: 'import',
      parent: null,
      events,
      source: { agent: 'a', id: 'old' },
      digest: 'd',
      settings: {},
      actor: 'ann',
    },
    now,
  )

test('[X15] an imported log keeps its numbers and times, and its open work has ended', () => {
  const log = logOf(working)
  const { events, state } = imported(log)
  expect(events.slice(0, log.length)).toEqual(log)
  expect(events.slice(log.length).map(({ type }) => type)).toEqual([
    ...['session_imported', 'tool_outcome', 'approval_applied', 'turn_end', 'health_changed', 'session_state'],
  ])
  expect(statusOf(state)).toBe('cancelled')
  expect(state.approvals.open).toEqual({})
  expect(state.conversation.messages.at(-1)).toMatchObject({ status: 'complete', stopReason: 'imported' })
  expect(wantedEffects(key, state, 1)).toEqual([])
  expect(dueTimes(state, 60_000).next).toBeNull()
})

test.each([1, 2])('[X15] a log that is cut after command %i starts nothing', (count) => {
  const { state } = imported(logOf(working.slice(0, count)))
  expect([statusOf(state), state.lifecycle.queue, wantedEffects(key, state, 1)]).toEqual(['cancelled', [], []])
  expect(dueTimes(state, 60_000).next).toBeNull()
})

test('[X15] time does not go back where a file is ahead of the clock', () => {
  const log = logOf(working)
  const { events } = imported(log, 10)
  expect(events.at(-1)?.at).toBe(log.at(-1)?.at)
})

test('[X16] a session that exists, or had these numbers before, takes no import', () => {
  const log = logOf(working)
  const { state } = imported(log)
  const again = {
    ...({ type: 'import', parent: null } as const),
    ...{ events: log, source: { agent: 'a', id: 'old' }, digest: 'd', settings: {} },
  }
  expect(decide(key, state, again, 1).outcome).toMatchObject({ refused: 'session_exists' })
  expect(decide(key, { ...emptyState, head: 7 }, again, 1).outcome).toMatchObject({ refused: 'session_exists' })
  const elsewhere = { ...again, parent: { agent: 'a', id: 'p', seq: 3 } }
  expect(decide(key, emptyState, elsewhere, 1).outcome).toMatchObject({ refused: 'bad_branch_point' })
})
