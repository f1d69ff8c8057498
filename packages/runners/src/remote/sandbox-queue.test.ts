import type { ReportItem } from '@bridle/kernel/commands'
import { VirtualClock } from '@bridle/kernel/host/host.suite'
import { ReporterClosedError, RunReporter } from '@bridle/kernel/session/run-reporter'
import { describe, expect, test } from 'vitest'
import { NoFreeSandboxError, SandboxQueue, WAIT_LIMITS } from './sandbox-queue.ts'

const setUp = (limits = WAIT_LIMITS) => {
  const clock = new VirtualClock()
  const line = new SandboxQueue(clock, limits)
  let free = 0
  const entered: string[] = []
  const enter = (name: string, ownsSandbox = false) => {
    const said: (string | null)[] = []
    const note = (item: ReportItem) => item.type === 'sandbox_awaited' && said.push(item.reason)
    const reporter = new RunReporter({
      runId: name,
      attempt: 1,
      frame: -1,
      clock,
      tokenPaceMs: 0,
      send: async ({ items }) => items.forEach(note),
    })
    const find = async () => {
      if (free === 0 && !ownsSandbox) throw new NoFreeSandboxError('All are busy.')
      free -= ownsSandbox ? 0 : 1
      entered.push(name)
    }
    const end = line.wait(reporter, { name: 'place', isReported: false, ownsSandbox: () => ownsSandbox }, find).then(
      () => 'found',
      (error: Error) => (error instanceof ReporterClosedError ? 'left' : error.message),
    )
    return { reporter, said, end }
  }
  const release = () => {
    free += 1
  }
  return { clock, enter, entered, release }
}

describe('[R22] runs that wait for a sandbox', () => {
  test('get one in the order in which they came, and say when they begin and end to wait', async () => {
    const { clock, enter, entered, release } = setUp()
    const runs = ['one', 'two', 'three'].map((name) => enter(name))
    await clock.pass(60_000)
    expect(runs.map(({ said }) => said.length)).toEqual([1, 1, 1])
    for (const count of [1, 2, 3]) {
      release()
      await clock.pass(2 * WAIT_LIMITS.tryMsMax)
      expect(entered).toEqual(['one', 'two', 'three'].slice(0, count))
    }
    expect(await Promise.all(runs.map(({ end }) => end))).toEqual(['found', 'found', 'found'])
    for (const { said } of runs) expect(said).toEqual([expect.any(String), null])
    expect(clock.pending).toBe(0)
  })

  test('[R22] a sandbox that takes long to start is reported, and so is that it is there; a quick one is not', async () => {
    const clock = new VirtualClock()
    const line = new SandboxQueue(clock)
    const start = (ms: number) => {
      const said: (string | null)[] = []
      const note = (item: ReportItem) => item.type === 'sandbox_awaited' && said.push(item.reason)
      const send = async ({ items }: { items: readonly ReportItem[] }) => items.forEach(note)
      const options = { runId: `r-${ms}`, attempt: 1, frame: -1, clock, tokenPaceMs: 0, send }
      const find = () => new Promise<void>((resolve) => void clock.after(ms, resolve))
      return { said, end: line.wait(new RunReporter(options), { name: String(ms), isReported: false }, find) }
    }
    const [quick, slow] = [start(500), start(5_000)]
    await clock.pass(2_000)
    expect([quick.said, slow.said]).toEqual([[], ['The sandbox is starting.']])
    await clock.pass(4_000)
    await Promise.all([quick.end, slow.end])
    expect([quick.said, slow.said]).toEqual([[], ['The sandbox is starting.', null]])
    expect(clock.pending).toBe(0)
  })

  test('a newcomer overtakes nobody, unless its session has a sandbox already', async () => {
    const { clock, enter, entered, release } = setUp()
    const first = enter('one')
    await clock.pass(5_000)
    const late: ReturnType<typeof enter>[] = []
    for (const name of ['two', 'three', 'four']) {
      release()
      late.push(enter(name))
      await clock.pass(2 * WAIT_LIMITS.tryMsMax)
    }
    await enter('warm', true).end
    expect(entered).toEqual(['one', 'two', 'three', 'warm'])
    release()
    await clock.pass(2 * WAIT_LIMITS.tryMsMax)
    expect(await Promise.all([first, ...late].map(({ end }) => end))).toEqual(Array(4).fill('found'))
  })

  test('a moment is no wait: nothing is said of it', async () => {
    const { clock, enter, release } = setUp()
    const run = enter('one')
    await clock.pass(WAIT_LIMITS.tryMs)
    release()
    await clock.pass(WAIT_LIMITS.tryMs)
    expect([await run.end, run.said]).toEqual(['found', []])
  })

  test('a run that is no longer wanted leaves the line, and the next moves up', async () => {
    const { clock, enter, entered, release } = setUp()
    const [first, second] = [enter('one'), enter('two')]
    await clock.pass(5_000)
    first.reporter.close()
    expect(await first.end).toBe('left')
    release()
    await clock.pass(2_000)
    expect([await second.end, entered]).toEqual(['found', ['two']])
  })

  test('after as long as a run may last it fails, and says why', async () => {
    const { clock, enter } = setUp({ ...WAIT_LIMITS, waitMs: 30_000 })
    const run = enter('one')
    await clock.pass(20_000)
    expect(run.said).toEqual(['All are busy.'])
    await clock.pass(20_000)
    expect(await run.end).toBe('All are busy. The run has waited for as long as a run may.')
  })
})
