// Shared by the contract suites: a store under test, and short ways to say "an event" and "a row".

import type { Event, Key } from '@bridle/kernel/event'
import type { Directory, DirectoryRow, OpenApproval, SettledListing } from '@bridle/kernel/ports/directory'
import type { BranchParent, Lease, Log, LogAppend } from '@bridle/kernel/ports/log'
import type { StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { afterEach, beforeEach, expect } from 'vitest'

export interface StoreOwner {
  readonly log: Log
  readonly directory: Directory
}

export interface StoreHarness extends StoreOwner {
  /** A second owner of the same data, while this one still believes that it is the first. */
  takeOver(): Promise<StoreOwner>
  /** The same data as a restarted process sees it. */
  restart(): Promise<StoreOwner>
  /** The same, after commits were lost and nobody can tell whose. */
  loseCommits(): Promise<StoreOwner>
  dispose(): Promise<void>
}

/** A new store for each test. */
export const underTest = (make: () => Promise<StoreHarness>): { readonly store: StoreHarness } => {
  const holder = {} as { store: StoreHarness }
  beforeEach(async () => {
    holder.store = await make()
  })
  afterEach(() => holder.store.dispose())
  return holder
}

export const key = (id: string, tenant = 'acme', agent = 'scripted'): Key => ({ tenant, agent, id })

export const event = (seq: number, payload: unknown = { text: `t${seq}` }, type = 'token'): Event =>
  ({ type, payload, seq, at: 1_700_000_000_000 + seq }) as unknown as Event

/** Events `first` to `last`. */
export const events = (first: number, last: number, payload?: (seq: number) => unknown): Event[] =>
  Array.from({ length: last - first + 1 }, (_, index) => event(first + index, payload?.(first + index)))

/** The health of a session without a finding. */
export const healthy = {
  score: 100,
  flags: [],
  hint: null,
  budget_pressure: { level: 'none', budgets: [], running_since: null },
  recovery_action: null,
} as const

export const row = (fields: Partial<DirectoryRow> = {}): DirectoryRow => ({
  kind: 'chat',
  status: 'idle',
  title: 'A session',
  createdAt: 1,
  updatedAt: 1,
  parent: null,
  approvals: [],
  detail: {},
  ...fields,
})

export const approval = (id: string, requestedAt: number): OpenApproval => ({
  id,
  tool: 'write_file',
  reason: 'asks',
  requestedAt,
  expiresAt: null,
})

export const settledApproval = (id: string, decidedAt: number, seq: number): SettledListing => ({
  ...approval(id, 1),
  ...{ seq, decision: 'approved', decidedAt, decidedBy: 'ann', decisionReason: null, isEdited: false },
})

/** Opens a session and appends events 1 to `count` (or after the branch point) with a row. */
export const startSession = async (
  { log }: StoreOwner,
  where: Key,
  count: number,
  more: Partial<LogAppend> = {},
  from?: BranchParent,
): Promise<Lease> => {
  const lease = (await log.open(where, from))!
  await log.append(lease, { events: events(lease.head + 1, lease.head + count), row: row(), ...more })
  return lease
}

export const seqs = (list: readonly Event[]): number[] => list.map(({ seq }) => seq)
export const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)

export const expectFault = (promise: Promise<unknown>, code: StoreFaultCode) =>
  expect(promise).rejects.toMatchObject({ name: 'StoreFault', code })
