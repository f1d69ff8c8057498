import { reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState, type FrontendState } from '@bridle/client/frontend/state'
import type { AnyEvent, Event } from '@bridle/kernel/event'
import { emptyState, evolve } from '@bridle/kernel/projections/state'
import { goldenLogs } from '@bridle/kernel/session/fold-version'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import type { LogEntry } from '@bridle/wire/log-entry'
import { describe, expect, test } from 'vitest'
import { History, MOMENTS_MAX } from './history.ts'
import type { HistoryError, HistoryProblem } from './history-error.ts'
import { KEPT_EVERY } from './kept-states.ts'

const key = { tenant: 'golden', agent: 'golden', id: 'golden' }
const session = { id: key.id, agent: key.agent }
const entriesOf = (events: readonly Event[]): readonly LogEntry[] => events as unknown as readonly LogEntry[]
const historyWith = (entries: readonly LogEntry[]): History => {
  const history = new History(session)
  history.append(entries)
  return history
}

/** A chat with many turns, each of a few pieces of text. */
const longLog = (events: number): readonly LogEntry[] => {
  const entries: Omit<LogEntry, 'seq' | 'at'>[] = [{ type: 'session_created', payload: { kind: 'chat' } }]
  for (let turn = 1; entries.length < events; turn++) {
    const run = `r-${turn}`
    const ids = { run_id: run, message_id: `m-${turn}` }
    entries.push(
      { type: 'prompt_queued', payload: { ...ids, text: `prompt ${turn}` } },
      { type: 'run_requested', payload: { run_id: run, attempt: 1 } },
      { type: 'turn_start', run, attempt: 1, payload: { turn_id: run, prompt: `prompt ${turn}` } },
      ...Array.from({ length: 20 }, (_, piece) => ({ type: 'token', run, attempt: 1, payload: { text: `${piece} ` } })),
      { type: 'turn_end', run, attempt: 1, payload: { turn_id: run, status: 'completed' } },
    )
  }
  return entries.slice(0, events).map((entry, index) => ({ ...entry, seq: index + 1, at: 1_000 + index }))
}

const problemOf = (act: () => unknown): HistoryProblem | null => {
  try {
    act()
    return null
  } catch (cause) {
    return (cause as HistoryError).code
  }
}

describe('a history', () => {
  test.each(goldenLogs().map((log, index) => [index, log] as const))(
    '[X30] has the states that the server folds, at each event of log %i',
    (_index, log) => {
      const history = historyWith(entriesOf(log))
      let state = emptyState
      let events: FrontendState = { ...emptyFrontendState, sessionId: key.id }
      for (const event of log) {
        state = evolve(state, event)
        const envelope = streamEnvelope(key, event as AnyEvent, 'debug')
        if (envelope) events = reduceFrontend(events, envelope)
        const moment = history.at(event.seq)
        expect(moment).toMatchObject({ seq: event.seq, time: event.at, type: event.type })
        expect(moment.conversation).toEqual(state.conversation)
        expect(moment.events).toEqual(events)
      }
    },
  )

  test('[X37] has the session as the server answers, without what no log has', () => {
    const [log = []] = goldenLogs()
    const history = historyWith(entriesOf(log))
    const end = history.at(history.head).session
    expect(end).toMatchObject({ id: 'golden', kind: 'background', last_heartbeat_at: null, background_artifacts: [] })
    expect(end.lastEventId).toBe(`ev-${history.head}`)
    expect(end.channel?.envelopes.at(-1)?.seq).toBeLessThanOrEqual(history.head)
    const asked = log.find(({ type }) => type === 'approval_required')?.seq ?? 0
    expect(history.at(asked).session.approvals).toHaveLength(1)
    expect(history.at(asked - 1).session.approvals).toHaveLength(0)
    expect(history.at(asked).session.health.audit.length).toBeLessThan(end.health.audit.length)
    expect(history.at(asked).session).toBe(history.at(asked).session)
  })

  test('[X31] gives the same states in any order, also beyond the states that it keeps', () => {
    const log = longLog(KEPT_EVERY * 5)
    const history = historyWith(log)
    const forwards = log.map(({ seq }) => JSON.stringify(history.at(seq)))
    const again = historyWith(log)
    for (let step = 0; step < 200; step++) {
      const seq = ((step * 7_919) % log.length) + 1
      expect(JSON.stringify(again.at(seq))).toBe(forwards[seq - 1])
    }
  })

  test('[X32] takes entries as they come: in pages, twice, and at its end', () => {
    const log = longLog(100)
    const history = new History(session)
    expect([history.first, history.head]).toEqual([0, 0])
    history.append(log.slice(0, 40))
    const before = history.at(40)
    history.append(log.slice(30, 60))
    history.append(log.slice(0, 100))
    expect([history.first, history.head]).toEqual([1, 100])
    expect(history.at(40)).toBe(before)
    expect(history.at(100)).toEqual(historyWith(log).at(100))
    expect(history.entry(55)).toBe(log[54])
  })

  test('[X32] begins where its log begins: the numbers of a removed session continue', () => {
    const log = longLog(30).map((entry) => ({ ...entry, seq: entry.seq + 500 }))
    const history = historyWith(log)
    expect([history.first, history.head]).toEqual([501, 530])
    expect(history.at(501).type).toBe('session_created')
    expect([history.entry(500), history.entry(531)]).toEqual([undefined, undefined])
  })

  test('[X33] a moment that is asked for again is the same object, and only some are remembered', () => {
    const history = historyWith(longLog(MOMENTS_MAX * 3))
    const first = history.at(5)
    expect(history.at(5)).toBe(first)
    for (let seq = 6; seq <= MOMENTS_MAX * 2; seq++) history.at(seq)
    expect(history.at(5)).toEqual(first)
    expect(history.at(5)).not.toBe(first)
  })

  test('[X34] an entry whose content stays on the server moves the number and the time alone', () => {
    const log = longLog(30)
    const withheld: LogEntry = { seq: 31, at: 9_000, type: 'model_step', run: 'r-1', payload: {}, withheld: true }
    const history = historyWith([...log, withheld])
    const { conversation, events } = history.at(30)
    expect(history.at(31)).toMatchObject({ seq: 31, time: 9_000, type: 'model_step' })
    expect(history.at(31).conversation).toEqual(conversation)
    expect(history.at(31).events).toEqual(events)
  })
})

describe('[X35] bad input', () => {
  const log = longLog(60)
  const entry = log[30] as LogEntry

  test.each<[string, (history: History) => unknown, HistoryProblem]>([
    ['a number that is left out', (history) => history.append([{ ...entry, seq: 32 }]), 'gap'],
    ['an event of another log', (history) => history.append([{ ...entry, seq: 20, type: 'error' }]), 'conflict'],
    ['the same event at another time', (history) => history.append([{ ...(log[19] as LogEntry), at: 1 }]), 'conflict'],
    ['a time that goes back', (history) => history.append([{ ...entry, at: 1 }]), 'conflict'],
    ['a content that no session writes', (history) => history.append([{ ...entry, type: 'tool_call' }]), 'unreadable'],
    ['no entry at all', (history) => history.append([null as unknown as LogEntry]), 'invalid'],
    ['a number that is none', (history) => history.append([{ ...entry, seq: 1.5 }]), 'invalid'],
    ['a payload that is none', (history) => history.append([{ ...entry, payload: null as never }]), 'invalid'],
    ['the moment before the first', (history) => history.at(0), 'out_of_range'],
    ['the moment behind the last', (history) => history.at(31), 'out_of_range'],
    ['a moment between two', (history) => history.at(3.5), 'out_of_range'],
    ['no moment', (history) => history.at(Number.NaN), 'out_of_range'],
  ])('%s is refused, and nothing is lost', (_name, act, problem) => {
    const history = historyWith(log.slice(0, 30))
    const before = history.at(30)
    expect(problemOf(() => act(history))).toBe(problem)
    expect(history.head).toBe(30)
    expect(history.at(30)).toBe(before)
    history.append(log)
    expect(history.at(60)).toEqual(historyWith(log).at(60))
  })

  test('a log from its middle on is refused: no fold of it would be right', () => {
    expect(problemOf(() => historyWith(log.slice(1)))).toBe('gap')
  })

  test('an empty history has no moment', () => {
    expect(problemOf(() => new History(session).at(1))).toBe('out_of_range')
  })

  test.each(['from_the_future', 'constructor', '__proto__'])(
    'an event of the type %s moves the number alone',
    (type) => {
      const unknown: LogEntry = { seq: 31, at: 5_000, type, payload: { any: 1 } }
      const history = historyWith([...log.slice(0, 30), unknown])
      expect(history.at(31).conversation).toEqual(history.at(30).conversation)
      expect(history.at(31).events.diagnostics.at(-1)).toMatchObject({ seq: 31, type })
    },
  )

  test.each<[string, number | undefined]>([
    ['ev-12', 12],
    ['12', 12],
    ['checkpoint:golden:12', 12],
    ['ev-12~2', undefined],
    ['12~3', undefined],
    ['checkpoint:other:12', undefined],
    ['ev-31', undefined],
    ['ev-0', undefined],
    ['twelve', undefined],
  ])('the cursor %s names the event %s', (cursor, seq) => {
    expect(historyWith(log.slice(0, 30)).seqOf(cursor)).toBe(seq)
  })

  test('a cursor of the parent names an event of its branch up to the branch point, in its incarnation', () => {
    const history = new History({ ...session, incarnation: 2, parent: { id: 'above', seq: 10, incarnation: 3 } })
    history.append(log.slice(0, 30))
    expect(
      ['turn:above:10~3', 'turn:above:10', 'turn:above:11~3', 'turn:golden:11~2', 'ev-11', 'ev-11~2'].map((cursor) =>
        history.seqOf(cursor),
      ),
    ).toEqual([10, undefined, undefined, 11, undefined, 11])
  })
})
