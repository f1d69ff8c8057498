// Appends events one by one, each awaited: the time that the store itself takes.
import type { Event } from '@bridle/kernel/event'
import type { Log } from '@bridle/kernel/ports/log'
import { p50 } from './agent-world.ts'

let sessions = 0

/** Microseconds of one append, at the middle of so many. */
export const rawAppends = async ({ log }: { readonly log: Log }, count: number): Promise<number> => {
  const key = { tenant: 'bench', agent: 'raw', id: `raw-${sessions++}` }
  const lease = await log.open(key)
  if (!lease) throw new Error('Another owner has the session.')
  const times: number[] = []
  for (let seq = 1; seq <= count; seq++) {
    const event = {
      type: 'token',
      payload: { text: 'x'.repeat(119) },
      run: 'r-1',
      attempt: 1,
      seq,
      at: 0,
    } as unknown as Event
    const row = {
      kind: 'chat',
      status: 'running',
      title: 'raw',
      createdAt: 0,
      updatedAt: 0,
      parent: null,
      approvals: [],
      detail: {},
    } as const
    const before = performance.now()
    await log.append(lease, seq === 1 ? { events: [event], row } : { events: [event] })
    times.push((performance.now() - before) * 1_000)
  }
  return p50(times)
}
