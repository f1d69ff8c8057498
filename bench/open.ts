// Coming back: a cursor resume and an open must cost as much as the missed events, not as the whole log.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyState, evolve, type SessionState } from '@bridle/kernel/projections/state'
import type { Session } from '@bridle/kernel/session/session'
import type { Listener } from '@bridle/kernel/session/subscribers'
import { openSqlite } from '@bridle/stores/data-folder'
import { streamAudience } from '@bridle/surfaces/fabric/codec'
import { eventLoop } from '@bridle/system/system-ports'
import { type BenchFigure, figure, interleave } from './figure.ts'
import { fill, hostOn, keyOf } from './world.ts'

const MISSED = 50
/** Turns of some 21,000 characters each. */
const WIDE_TURNS = 200
const WIDE_WORDS = 5_400

export const open = async (): Promise<BenchFigure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
  const store = await openSqlite(folder)
  try {
    const maker = hostOn(store)
    await fill(maker, 'short', 1_000, 200)
    await fill(maker, 'long', 100_000, 500)
    await maker.stop()

    const host = hostOn(store)
    const short = await host.open(keyOf('short'))
    const long = await host.open(keyOf('long'))
    const resumed = await interleave({
      'resume at 100,000 (us)': { run: () => resume(long) },
      'resume at 1,000 (us)': { run: () => resume(short) },
    })
    // Filled only now: these pages would push the end of `long` out of the page cache, and the resume would measure the disk.
    for (let turn = 0; turn < WIDE_TURNS; turn++) await fill(host, 'wide', 1, WIDE_WORDS, 5)
    await host.stop()

    const turns = await interleave({
      'longest turn (us)': { run: () => openWide(store, 'longest turn') },
      'whole opening (us)': { run: () => openWide(store, 'whole opening') },
    })

    let live: SessionState | null = null
    const opened = await interleave({
      'open at 100,000 (us)': {
        run: async () => {
          const fresh = hostOn(store)
          const started = performance.now()
          const session = await fresh.open(keyOf('long'))
          const value = (performance.now() - started) * 1_000
          live = session.state
          await fresh.stop()
          return { value, verified: session.state.head >= 100_000 }
        },
      },
      'full replay (us)': {
        run: async () => {
          const started = performance.now()
          let state = emptyState
          for (;;) {
            const events = await store.log.read(keyOf('long'), state.head, 1_000)
            if (events.length === 0) break
            for (const event of events) state = evolve(state, event)
          }
          const value = (performance.now() - started) * 1_000
          return { value, verified: JSON.stringify(state) === JSON.stringify(live) }
        },
      },
    })
    return [
      figure(resumed, ['resume at 100,000 (us)', 'resume at 1,000 (us)'], {
        id: 'B6a',
        what: 'cursor resume of 50 missed events: 100,000-event session / 1,000-event session',
        target: 2,
        better: 'lower',
      }),
      figure(opened, ['open at 100,000 (us)', 'full replay (us)'], {
        id: 'B6b',
        what: 'opening a 100,000-event session / folding its whole log',
        target: 0.05,
        better: 'lower',
      }),
      figure(turns, ['longest turn (us)', 'whole opening (us)'], {
        id: 'B6c',
        what: 'opening a session of 4,000,000 characters: longest turn of the event loop / the whole opening',
        target: 0.34,
        better: 'lower',
      }),
    ]
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Others have their turn while a long conversation opens. */
const openWide = async (
  store: Awaited<ReturnType<typeof openSqlite>>,
  what: 'longest turn' | 'whole opening',
): Promise<{ value: number; verified: boolean }> => {
  const fresh = hostOn(store, 0, eventLoop)
  let [isOpen, longest] = [false, 0]
  const watching = (async () => {
    for (let before = performance.now(); !isOpen; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      longest = Math.max(longest, now - before)
      before = now
    }
  })()
  const started = performance.now()
  const session = await fresh.open(keyOf('wide'))
  const whole = performance.now() - started
  isOpen = true
  await watching
  const chars = session.state.conversation.messages.reduce((sum, { content }) => sum + content.length, 0)
  await fresh.stop()
  return { value: (what === 'longest turn' ? longest : whole) * 1_000, verified: chars > 4_000_000 }
}

/** Catching up the last events through the subscribers, encoded for the wire; mean of many. */
const resume = async (session: Session): Promise<{ value: number; verified: boolean }> => {
  const times = 200
  const { head } = session.state
  let verified = true
  const started = performance.now()
  for (let time = 0; time < times; time++) {
    const text = await new Promise<string>((resolve) => {
      const reader: Listener = {
        audience: streamAudience(session.key),
        send: (sent) => {
          queueMicrotask(() => session.subscribers.remove(reader))
          resolve(sent)
        },
        unsent: () => 0,
        close: () => resolve(''),
      }
      session.subscribers.add(reader, head - MISSED)
    })
    verified &&= text.includes('"type":"idle"')
  }
  return { value: ((performance.now() - started) * 1_000) / times, verified }
}
