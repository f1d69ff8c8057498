// The data of a memory store, shared by its log and its directory.
import type { Key } from '../event.ts'
import type { DirectoryRow } from '../ports/directory.ts'
import type { SnapshotWrite, Wake } from '../ports/log.ts'
import { effectiveIncarnation, type Tombstone } from './lineage.ts'

/** A session of a key. A branch refers to its parent, so a removed session stays in memory while a branch reads it. */
export interface MemorySession {
  readonly key: Key
  readonly order: number
  readonly base: number
  readonly incarnation: number
  readonly parent: { readonly session: MemorySession; readonly seq: number } | null
  /** JSON texts of the events, from base + 1. */
  readonly events: string[]
  readonly answers: Map<string, string>
  readonly snapshots: Map<number, Omit<SnapshotWrite, 'pieces'>>
  /** Settled pieces of messages by index: each with the snapshots' numbers at which it was written. */
  readonly pieces: Map<number, { seq: number; text: string }[]>
  row: string
  wake: Wake
  removed: boolean
}

export interface MemoryData {
  readonly sessions: Map<string, MemorySession>
  readonly tombstones: Map<string, Tombstone>
  /** The least incarnation that a log has; absent = the first. A test that loses events raises it. */
  incarnation?: number
  epoch: number
  created: number
}

export const memoryIncarnationOf = ({ incarnation = 1 }: MemoryData, log: { readonly incarnation: number }): number =>
  effectiveIncarnation(log, incarnation)

/** Gives every log an incarnation that no log has had, as after a loss that cannot be pinned to a session. */
export const beginMemoryIncarnation = (data: MemoryData): void => {
  const used = [...data.sessions.values(), ...data.tombstones.values()].map(({ incarnation }) => incarnation)
  data.incarnation = Math.max(data.incarnation ?? 1, ...used) + 1
}

export const memoryHeadOf = (session: MemorySession): number => session.base + session.events.length

export const memoryRowOf = (session: MemorySession): DirectoryRow => JSON.parse(session.row) as DirectoryRow
