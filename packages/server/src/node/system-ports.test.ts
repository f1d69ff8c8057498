import { READ_PAGE } from '@bridle/events/limits'
import { key, RecordingListener, setUp } from '@bridle/kernel/host/host.suite'
import { clock, eventLoop } from '@bridle/system/system-ports'
import { expect, test } from 'vitest'

test('a moment that has just passed is now, and nobody is warned of it', async () => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => warnings.push(name)
  process.on('warning', listen)
  try {
    await new Promise<void>((resolve) => clock.after(-4, resolve))
    // A warning is emitted in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', listen)
  }
})

/** A codec that encodes nothing, so that only the turns of the event loop make a reader wait. */
class SilentReader extends RecordingListener {
  override readonly audience = { key: 'silent', encode: () => '' }
}

test('[O33] while readers catch up on long logs, the event loop goes on, and a newcomer need not wait for their end', async () => {
  // Each look at the clock takes a millisecond, so that the number of turns does not depend on the machine.
  let nowMs = 0
  const { host, runner } = setUp({ eventLoop: { ...eventLoop, now: () => nowMs++ } })
  const pages = 12
  for (const id of ['one', 'two', 'three']) {
    await host.send(key(id), { type: 'submit', prompt: 'write' })
    await expect.poll(() => runner.attempts.at(-1)?.job.key.id).toBe(id)
    const { reporter } = runner.last
    const steps = Array.from({ length: READ_PAGE }, (_, index) => ({
      type: 'event' as const,
      event: { type: 'step_progress' as const, payload: { summary: `step ${index}` } },
    }))
    for (let page = 0; page < pages; page++) await reporter.report(steps)
  }
  const { state } = await host.open(key('one'))
  const over: string[] = []
  const readers = ['one', 'two', 'three'].flatMap((id) =>
    Array.from({ length: 3 }, async () => {
      const { subscribers } = await host.open(key(id))
      expect(await subscribers.replay(new SilentReader(), 0, state.head)).toBe(true)
      over.push(id)
    }),
  )
  let turns = 0
  const count = () => {
    turns++
    if (over.length < readers.length) setImmediate(count)
  }
  setImmediate(count)
  const newcomer = host.open(key('three')).then(async (session) => {
    const events = await session.read(session.state.head - 3, 3)
    return { events: events.length, over: over.length }
  })
  expect(await newcomer).toEqual({ events: 3, over: 0 })
  await Promise.all(readers)
  // A turn reads one or two pages, and each page is read by one of its three readers at least.
  expect(turns).toBeGreaterThan(pages)
  await host.stop()
})
