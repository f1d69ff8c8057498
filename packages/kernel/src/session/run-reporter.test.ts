import { PAYLOAD_CHARS_MAX } from '@bridle/events/limits'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ReportItem, RunReport } from '../commands.ts'
import { deferred, flushPending, VirtualClock } from '../host/host.suite.ts'
import { call, eventReport, finished, outcome, token } from '../rules/rules.suite.ts'
import { REPORTS_HIGH_WATER, ReporterClosedError, RunReporter } from './run-reporter.ts'

let clock: VirtualClock
let reports: RunReport[]
let send: (report: RunReport) => Promise<unknown>
beforeEach(() => {
  clock = new VirtualClock()
  reports = []
  send = async () => ({})
})
const reporter = (tokenPaceMs = 16, frame = -1) =>
  new RunReporter({
    runId: 'r',
    attempt: 1,
    frame,
    clock,
    tokenPaceMs,
    send: (report) => {
      reports.push(report)
      return send(report)
    },
  })
/** Each report that was sent: its frame, then text or type. */
const sent = () =>
  reports.map(({ frame, items }) => [
    frame,
    ...items.map((item) =>
      item.type === 'event' && item.event.type === 'token' ? (item.event.payload as { text: string }).text : item.type,
    ),
  ])

describe('[E3] tokens', () => {
  test('the first leaves at once, the rest once per pace', async () => {
    const out = reporter()
    await out.token('a')
    expect(sent()).toEqual([[0, 'a']])
    await out.token('b')
    await out.token('c')
    expect(sent()).toEqual([[0, 'a']])
    await clock.pass(16)
    expect(sent()).toEqual([
      [0, 'a'],
      [2, 'bc'],
    ])
    await out.token('d')
    await clock.pass(15)
    expect(sent()).toHaveLength(2)
    await clock.pass(1)
    expect(sent().at(-1)).toEqual([3, 'd'])
  })

  test('[E15] are whole characters, whatever chunks a provider makes of them', async () => {
    const out = reporter(0)
    const said = '👍🏽 ok 👍'
    for (const unit of said.split('')) {
      await out.token(unit)
      await out.report([eventReport('thinking', { text: unit })])
    }
    await out.token('\ud83d')
    await out.report([call('c1')])
    await out.token('x\ude00')
    await out.token('\ud83d')
    await out.report([finished()])
    const texts = { token: '', thinking: '' }
    for (const item of reports.flatMap(({ items }) => items)) {
      if (item.type !== 'event' || !(item.event.type in texts)) continue
      const { text } = item.event.payload as { text: string }
      expect(text.isWellFormed()).toBe(true)
      texts[item.event.type as 'token' | 'thinking'] += text
    }
    // Halves that have no other half are replaced.
    expect(texts).toEqual({ token: `${said}\ufffdx\ufffd\ufffd`, thinking: said })
  })

  test('after a silence the next leaves at once again', async () => {
    const out = reporter()
    await out.token('a')
    await clock.pass(100)
    await out.token('b')
    expect(sent()).toEqual([
      [0, 'a'],
      [1, 'b'],
    ])
  })

  test('anything else takes the text that waits with it, before itself', async () => {
    const out = reporter()
    await out.token('a')
    await out.token('b')
    await out.report([call('c1')])
    expect(sent()).toEqual([
      [0, 'a'],
      [2, 'b', 'event'],
    ])
    await clock.pass(16)
    expect(sent()).toHaveLength(2)
  })

  test('pace 0 is every token', async () => {
    const out = reporter(0)
    for (const text of 'abc') await out.token(text)
    expect(sent()).toEqual([
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ])
    expect(clock.pending).toBe(0)
  })

  test('a runner with positions of its own keeps them, and what was taken is passed over', async () => {
    const out = reporter(16, 10)
    await out.token('old', 10)
    await out.token('a', 11)
    await out.token('b', 20)
    await out.token('b', 20)
    await out.report([call('c1')], 21)
    await out.report([call('c1')], 21)
    expect(sent()).toEqual([
      [11, 'a'],
      [21, 'b', 'event'],
    ])
    expect(out.frame).toBe(21)
  })

  test('text too large for one event becomes several, whole characters each', async () => {
    const out = reporter()
    const text = `x${'😀'.repeat(PAYLOAD_CHARS_MAX)}`
    await out.token(text)
    await clock.pass(16)
    const pieces = reports.flatMap(({ items }) =>
      items.map((item) => (item as ReportItem & { event: { payload: { text: string } } }).event.payload.text),
    )
    expect(pieces.join('') === text).toBe(true)
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    expect(Math.max(...pieces.map((piece) => JSON.stringify(piece).length))).toBeLessThanOrEqual(PAYLOAD_CHARS_MAX)
  })

  test('a flood that gives no timer a turn is sent in bounded pieces', async () => {
    const out = reporter()
    const piece = '\u0001'.repeat(10_000)
    for (let index = 0; index < 200; index++) await out.token(piece)
    await out.report([finished()])
    const longest = Math.max(...reports.flatMap(({ items }) => items.map((item) => JSON.stringify(item).length)))
    expect(longest).toBeLessThanOrEqual(PAYLOAD_CHARS_MAX + 200)
    expect(reports.flatMap(({ items }) => items).length).toBeLessThan(200)
  })
})

describe('reports', () => {
  test('resolve when they are in the log', async () => {
    const gate = deferred()
    send = () => gate.promise
    let done = false
    const reported = reporter()
      .report([call('c1')])
      .then(() => {
        done = true
      })
    await flushPending()
    expect(done).toBe(false)
    gate.release()
    await reported
  })

  test('reject when the log does', async () => {
    send = () => Promise.reject(new Error('full'))
    await expect(reporter().report([call('c1')])).rejects.toThrow('full')
  })

  test('a token waits only above the high-water mark', async () => {
    const gate = deferred()
    send = () => gate.promise
    const out = reporter(0)
    for (let index = 0; index < REPORTS_HIGH_WATER; index++) await out.token('x')
    let done = false
    const over = out.token('x').then(() => {
      done = true
    })
    await flushPending()
    expect(done).toBe(false)
    gate.release()
    await over
    await out.token('y')
  })

  test('an event too large for a store is refused, a large result is not: it becomes an artifact', async () => {
    const large = 'x'.repeat(PAYLOAD_CHARS_MAX + 1)
    await expect(reporter().report([eventReport('thinking', { text: large })])).rejects.toThrow(RangeError)
    expect(reports).toEqual([])
    await reporter().report([call('c1'), eventReport('tool_result', { tool_call_id: 'c1', result: large })])
    await reporter().report([outcome('c1', 'ok', { result: { rows: [large] } })])
    expect(reports).toHaveLength(2)
    await expect(reporter().report([outcome('c1', 'error', { error: large })])).rejects.toThrow(RangeError)
  })
})

describe('closed', () => {
  test('it refuses everything, drops what waits, and says so once', async () => {
    const out = reporter()
    let told = 0
    out.onClose(() => {
      told += 1
    })
    await out.token('a')
    await out.token('waits')
    out.close()
    out.close()
    await clock.pass(16)
    expect(sent()).toEqual([[0, 'a']])
    await expect(out.token('b')).rejects.toThrow(ReporterClosedError)
    await expect(out.report([call('c1')])).rejects.toThrow(ReporterClosedError)
    out.onClose(() => {
      told += 1
    })
    expect(told).toBe(2)
  })

  test('while a report is on its way: it must not be acted upon, unless it was the last word', async () => {
    for (const [item, heard] of [
      [call('c1'), false],
      [token('x'), false],
      [finished(), true],
    ] as const) {
      const out = reporter()
      send = async () => {
        out.close()
      }
      const reported = out.report([item])
      if (heard) await expect(reported).resolves.toBeUndefined()
      else await expect(reported).rejects.toThrow(ReporterClosedError)
    }
  })
})

describe('a report out of band', () => {
  test('comes after the text so far, has no frame, and leaves those of the runner as they are', async () => {
    const out = reporter()
    await out.token('a')
    await out.token('b')
    await out.reportOutOfBand(finished(), finished())
    expect(sent()).toEqual([
      [0, 'a'],
      [1, 'b'],
      [null, 'finished', 'finished'],
    ])
    expect(out.frame).toBe(1)
  })

  test('is rejected where the session drops it, and where it is too large', async () => {
    const out = reporter()
    send = async () => ({ dropped: 'budget' })
    await expect(out.reportOutOfBand(call('c'))).rejects.toThrow(ReporterClosedError)
    send = async () => ({})
    await expect(out.reportOutOfBand(token('x'.repeat(PAYLOAD_CHARS_MAX)))).rejects.toThrow(RangeError)
    out.close()
    await expect(out.reportOutOfBand(call('c'))).rejects.toThrow(ReporterClosedError)
  })
})
