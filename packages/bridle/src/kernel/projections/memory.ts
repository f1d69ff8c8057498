// The memory of a session: small values by name that its agents keep from turn to turn.
import type { Json } from '../json.ts'
import { omit } from '../json.ts'
import type { Projection } from './projection.ts'

export interface Memory {
  readonly entries: MemoryEntries
  /** The entries that the current run has changed, as they were before it; null: there was none. */
  readonly before: { readonly [key: string]: MemoryEntry | null }
  /** The queued run that continues the turn of a parent: what its parent's run changed counts as its own. */
  readonly continuing: string | null
}

export interface MemoryEntries {
  readonly [key: string]: MemoryEntry
}

export interface MemoryEntry {
  readonly value: Json
  /** Null: never. */
  readonly expiresAt: number | null
}

export const memory: Projection<Memory> = {
  initial: { entries: {}, before: {}, continuing: null },
  on: {
    memory_set: (state, { payload: { key, value, expires_at } }) => ({
      ...state,
      entries:
        value === null ? omit(state.entries, key) : { ...state.entries, [key]: { value, expiresAt: expires_at } },
      before: Object.hasOwn(state.before, key)
        ? state.before
        : { ...state.before, [key]: Object.hasOwn(state.entries, key) ? (state.entries[key] ?? null) : null },
    }),
    prompt_queued: (state, { payload: { run_id, continues_run } }) =>
      continues_run === undefined ? state : { ...state, continuing: run_id },
    run_requested: (state, { payload: { run_id, continues } }) =>
      continues !== undefined || run_id === state.continuing || Object.keys(state.before).length === 0
        ? state
        : { ...state, before: {} },
  },
}

/** The memory as it was when the current run began. */
export const memoryBeforeRun = ({ entries, before }: Memory): MemoryEntries =>
  Object.fromEntries(Object.entries({ ...entries, ...before }).flatMap(([key, entry]) => (entry ? [[key, entry]] : [])))

export const isRemembered = ({ expiresAt }: MemoryEntry, now: number): boolean => expiresAt === null || now < expiresAt
