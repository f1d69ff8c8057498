import type { FabricClient, SessionRow, TenantChange } from 'bridle/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followLists, LIST_RETRY_MS } from './follow-lists.ts'
import { LiveStore, waitingText } from './live-store.ts'

type Client = Pick<FabricClient, 'sessions' | 'approvals'>

const row = (id: string, updatedAt: string) => ({ id, agent: 'scripted', updatedAt, archived: false }) as SessionRow
const change = (id: string, updatedAt: string): TenantChange => ({ type: 'session', session: row(id, updatedAt) })
/** Each answer in turn; a text is a refusal. */
const clientOf = (...answers: (readonly SessionRow[] | string)[]): Client =>
  ({
    sessions: async () => {
      const answer = answers.shift() ?? []
      if (typeof answer === 'string') throw new Error(answer)
      return { sessions: answer }
    },
    approvals: async () => ({ approvals: [] }),
  }) as unknown as Client
const idsOf = (live: LiveStore) => live.getSnapshot().sessions.map(({ id }) => id)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('every page of approvals counts, up to a number that is said to be more', async () => {
  const inbox = (total: number) =>
    ({
      sessions: async () => ({ sessions: [] }),
      approvals: async ({ limit = 0, cursor = '0' }: { limit?: number; cursor?: string } = {}) => {
        const from = Number(cursor)
        const ids = Array.from({ length: Math.min(limit, total - from) }, (_, at) => `apr-${from + at}`)
        const approvals = ids.map((id) => ({ id, sessionId: 's', agent: 'a', requestedAt: '2026-01-01' }))
        return { approvals, ...(from + limit < total && { next: String(from + limit) }) }
      },
    }) as unknown as Client
  for (const [total, text] of [
    [0, ''],
    [3, '3'],
    [100, '100'],
    [250, '250'],
    [1_000, '1000'],
    [1_234, '1000+'],
  ] as const) {
    const live = new LiveStore()
    followLists(inbox(total), live).onChange({ type: 'ready' })
    await vi.advanceTimersByTimeAsync(0)
    expect(waitingText(live.getSnapshot())).toBe(text)
  }
})

test('changes that come while lists load are folded into them', async () => {
  const live = new LiveStore()
  const lists = followLists(clientOf([row('a', '2026-01-01')]), live)
  lists.onChange({ type: 'ready' })
  lists.onChange(change('b', '2026-01-02'))
  await vi.advanceTimersByTimeAsync(0)
  lists.onChange(change('c', '2026-01-03'))
  expect(idsOf(live)).toEqual(['c', 'b', 'a'])
})

test('lists that could not be loaded are asked for again, and changes go on after that', async () => {
  const live = new LiveStore()
  const lists = followLists(clientOf('busy', [row('a', '2026-01-01')]), live)
  lists.onChange({ type: 'ready' })
  await vi.advanceTimersByTimeAsync(0)
  expect(live.getSnapshot()).toMatchObject({ isLoaded: false, error: { message: 'busy' } })
  await vi.advanceTimersByTimeAsync(LIST_RETRY_MS)
  expect(live.getSnapshot()).toMatchObject({ isLoaded: true, error: null })
  lists.onChange(change('b', '2026-01-02'))
  expect(idsOf(live)).toEqual(['b', 'a'])
})

test('a page that is left changes nothing and asks for nothing', async () => {
  const live = new LiveStore()
  const lists = followLists(clientOf('busy', [row('a', '2026-01-01')]), live)
  lists.onChange({ type: 'ready' })
  lists.close()
  await vi.advanceTimersByTimeAsync(LIST_RETRY_MS)
  expect(live.getSnapshot()).toMatchObject({ isLoaded: false, error: null })
})
