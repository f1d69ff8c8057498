// Snapshots of a session with long answers: each stretch is written once, and restoring is folding.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answer, Command, Refusal, ReportItem } from '../commands.ts'
import type { Snapshot, SnapshotWrite } from '../ports/log.ts'
import { decide } from '../rules/decide.ts'
import { call, eventReport, key, outcome, TestSession, token } from '../rules/rules.suite.ts'
import type { MessagePiece } from './message-pieces.ts'
import { PIECE_CHARS, restoreSnapshot, takeSnapshot } from './snapshot.ts'

/** Rows by index, as a store has them: the newest version of each. */
class Rows {
  readonly texts: string[] = []
  pieces: readonly MessagePiece[] = []
  /** The characters of every snapshot so far. */
  readonly written: { state: number; pieces: number; rows: number }[] = []
  snapshot: Snapshot | null = null

  readonly #pieceChars: number

  constructor(pieceChars = PIECE_CHARS) {
    this.#pieceChars = pieceChars
  }

  take({ state }: TestSession): SnapshotWrite {
    const { write, pieces } = takeSnapshot(state, this.pieces, 0, 1, this.#pieceChars)
    for (const { index, text } of write.pieces) this.texts[index] = text
    this.pieces = pieces
    this.written.push({
      state: write.state.length,
      pieces: write.pieces.reduce((chars, { text }) => chars + text.length, 0),
      rows: write.pieces.length,
    })
    const { seq, foldVersion, state: text, settled } = write
    this.snapshot = { seq, foldVersion, state: text, pieces: this.texts.slice(0, settled) }
    return write
  }

  /** The session opens again: what it knows of its rows is what it restored. */
  restart(life: TestSession): void {
    const restored = restoreSnapshot(this.snapshot)
    expect(restored?.state).toEqual(life.state)
    this.pieces = restored?.pieces ?? []
    life.state = restored?.state ?? life.state
  }
}

/** Without the checks of every step, which cost as much as the state is long. */
class LongSession extends TestSession {
  override do(command: Command): Answer | Refusal {
    const { state, outcome } = decide(key, this.state, command, this.now, { branchPoint: null })
    this.state = state
    return outcome
  }
}

const durable = (): TestSession => {
  const life = new LongSession()
  life.submit('Go')
  life.report({ type: 'started', durable: true })
  return life
}
const thinking = (text: string) => eventReport('thinking', { text })
const step = (life: TestSession, n: number, chars = 500): void => {
  life.report(thinking(`Thought ${n}. `), token(`Step ${n}. `))
  life.report(
    eventReport('model_step', { step: n, model: 'm', content: [], finish: 'tool-calls' }),
    call(`c${n}`, 'pure', 'read', { n }),
  )
  life.report(outcome(`c${n}`, 'ok', { result: 'r'.repeat(chars) }))
}

describe('a long answer', () => {
  test('is written once: the store grows with it, not with its square', () => {
    const life = durable()
    const rows = new Rows()
    const steps = 2_000
    for (let n = 1; n <= steps; n++) {
      step(life, n)
      if (n % 100 === 0) rows.take(life)
    }
    const whole = JSON.stringify(life.state).length
    expect(whole).toBeGreaterThan(30 * PIECE_CHARS)
    const pieces = rows.written.reduce((chars, each) => chars + each.pieces, 0)
    expect(pieces).toBeLessThan(1.1 * whole)
    // The end of the answer that fills no piece yet, and the rest of the state.
    for (const { state } of rows.written) expect(state).toBeLessThan(2 * PIECE_CHARS)
    // The last ten snapshots write no more than the ten before.
    const sum = (list: typeof rows.written) => list.reduce((chars, each) => chars + each.pieces + each.state, 0)
    expect(sum(rows.written.slice(10))).toBeLessThan(1.3 * sum(rows.written.slice(0, 10)))
    for (const text of rows.texts) expect(text.length).toBeLessThan(2 * PIECE_CHARS)
    life.report({ type: 'finished' })
    expect(rows.take(life).pieces.length).toBeLessThan(4)
    rows.restart(life)
  })

  test('also where it is one text', () => {
    const life = durable()
    const rows = new Rows()
    for (let n = 0; n < 40; n++) {
      for (let piece = 0; piece < 20; piece++) life.report(token('word '.repeat(100)))
      rows.take(life)
    }
    expect(rows.written.reduce((chars, { pieces, state }) => chars + pieces + state, 0)).toBeLessThan(
      1.1 * life.answer.content.length + 40 * 2 * PIECE_CHARS,
    )
    expect(rows.texts.length).toBeGreaterThan(10)
    rows.restart(life)
    expect(life.answer.content).toHaveLength(400_000)
  })

  test('writes again only the piece that changed', () => {
    const life = durable()
    const rows = new Rows()
    for (let n = 1; n <= 400; n++) step(life, n)
    rows.take(life)
    expect(rows.take(life).pieces).toEqual([])
    const before = rows.texts.length
    // A late result of an early call, which the fold takes.
    life.report(eventReport('tool_result', { tool_call_id: 'c3', result: 'late' }))
    expect(rows.take(life).pieces.map(({ index }) => index)).toEqual([1])
    life.report(token('cut off'))
    rows.take(life)
    life.report({ type: 'supersede' })
    expect(rows.take(life).pieces.length).toBeLessThanOrEqual(1)
    expect(rows.texts.length).toBeLessThanOrEqual(before + 1)
    rows.restart(life)
    // Another text of the whole answer: the calls before it stay as they are.
    life.report(eventReport('response', { text: 'Else.' }))
    expect(rows.take(life).pieces.every(({ index }) => index > 2)).toBe(true)
    rows.restart(life)
    expect(life.answer.content).toBe('Else.')
  })

  test('stays in its pieces when it has ended, and other messages have one', () => {
    const life = durable()
    const rows = new Rows()
    for (let n = 1; n <= 200; n++) step(life, n)
    rows.take(life)
    const early = rows.texts.slice(0, 3)
    life.report({ type: 'finished' })
    life.submit('And?')
    life.report({ type: 'started', durable: true })
    life.report(token('Yes.'), { type: 'finished' })
    rows.take(life)
    expect(rows.texts.slice(0, 3)).toEqual(early)
    expect(rows.texts.slice(-2).map((text) => JSON.parse(text).content)).toEqual(['And?', 'Yes.'])
    rows.restart(life)
    expect(rows.take(life).pieces).toEqual([])
  })

  test('is shared by a branch as it is', () => {
    const life = durable()
    const rows = new Rows()
    for (let n = 1; n <= 200; n++) step(life, n)
    life.report({ type: 'finished' })
    rows.take(life)
    const unread = { ...(rows.snapshot as Snapshot), pieces: rows.pieces.map(() => null) }
    const restored = restoreSnapshot(unread, rows.pieces)
    expect(restored?.state).toEqual(life.state)
    expect(restored?.state.conversation.messages[1]).toBe(life.messages[1])
    // A single piece was read: the rest of the message is taken from memory.
    const mixed = unread.pieces.map((_, index) => (index === 2 ? (rows.texts[2] ?? null) : null))
    expect(restoreSnapshot({ ...unread, pieces: mixed }, rows.pieces)?.state).toEqual(life.state)
  })
})

test('a snapshot of another fold is not read', () => {
  const rows = new Rows()
  rows.take(durable())
  expect(restoreSnapshot({ ...(rows.snapshot as Snapshot), foldVersion: 'older' })).toBeNull()
  expect(restoreSnapshot(null)).toBeNull()
})

type Act = (life: TestSession, n: number) => void
const reports =
  (...items: ReportItem[]): Act =>
  (life) => {
    if (life.state.lifecycle.run) life.report(...items)
  }
const long = 'xyz'.repeat(10)
const act = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Act>((life, n) => life.state.lifecycle.run && step(life, n, 20)) },
  { weight: 4, arbitrary: fc.constantFrom<Act>(reports(token(long)), reports(thinking(long)), reports(token('a 😀'))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Act>(
      reports({ type: 'supersede' }),
      reports({ type: 'supersede', keep: { chars: 40, parts: 5 } }),
      reports({ type: 'supersede', keep: { chars: 0, parts: 0 } }),
      reports(eventReport('response', { text: `${long}${long}${long}${long}` })),
      reports(eventReport('tool_result', { tool_call_id: 'c1', result: 'late' })),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>(
      reports({ type: 'finished' }),
      (life) => void life.do({ type: 'cancel' }),
      (life) => void life.do({ type: 'pause' }),
      (life) => void life.do({ type: 'resume' }),
      (life) => void life.do({ type: 'steer', prompt: 'also' }),
      (life) =>
        void life.do({
          type: 'edit',
          messageId: life.messages.findLast((each) => each.role === 'user')!.id,
          prompt: 'x',
        }),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Act>((life) => void life.submit('And again, once more, from the beginning.')) },
  { weight: 3, arbitrary: fc.constant<Act>(reports({ type: 'started', durable: true })) },
)

const next = fc.constantFrom('take', 'restart', 'go on')

test('in any order, each snapshot restores to the fold, also from what a restart knows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(fc.tuple(act, next), { maxLength: 40 }), (chars, acts) => {
      const life = durable()
      const rows = new Rows(chars)
      for (const [n, [run, then]] of acts.entries()) {
        run(life, n)
        if (then === 'go on') continue
        rows.take(life)
        expect(restoreSnapshot(rows.snapshot)?.state).toEqual(life.state)
        if (then === 'restart') rows.restart(life)
      }
    }),
    { numRuns: 500 },
  )
})
