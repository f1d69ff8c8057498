import type { OperatorClient, SessionRow, TenantChange } from 'bridle/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followLists } from './follow-lists.ts'
import { LIST_RETRY_MS } from './limits.ts'
import { LiveStore } from './live-store.ts'

type Client = Pick<OperatorClient, 'sessions' | 'approvals'>

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
