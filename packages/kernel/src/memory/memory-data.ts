import type { Key } from '../event.ts'
import type { DirectoryRow } from '../ports/directory.ts'
import type { SnapshotWrite, Wake } from '../ports/log.ts'
import { effectiveIncarnation, type Tombstone } from './lineage.ts'

/** A removed session stays in memory while a branch reads it. */
export interface MemorySession {
  readonly key: Key
  readonly order: number
  readonly base: number
  readonly incarnation: number
  readonly parent: { readonly session: MemorySession; readonly seq: number } | null
  /** JSON, starting at base + 1. */
  readonly events: string[]
  readonly answers: Map<string, string>
  readonly snapshots: Map<number, Omit<SnapshotWrite, 'pieces'>>
  /** Versions of each settled piece, with the sequence number of the snapshot that wrote them. */
  readonly pieces: Map<number, { seq: number; text: string }[]>
  row: string
  wake: Wake
  removed: boolean
}

export interface MemoryData {
  readonly sessions: Map<string, MemorySession>
  readonly tombstones: Map<string, Tombstone>
  /** Minimum incarnation of every log. Tests that lose events raise it. */
  incarnation?: number
  epoch: number
  created: number
}

export const memoryIncarnationOf = ({ incarnation = 1 }: MemoryData, log: { readonly incarnation: number }): number =>
  effectiveIncarnation(log, incarnation)

/** As after a loss that cannot be attributed to one session. */
export const beginMemoryIncarnation = (data: MemoryData): void => {
  const used = [...data.sessions.values(), ...data.tombstones.values()].map(({ incarnation }) => incarnation)
  data.incarnation = Math.max(data.incarnation ?? 1, ...used) + 1
}

export const memoryHeadOf = (session: MemorySession): number => session.base + session.events.length

export const memoryRowOf = (session: MemorySession): DirectoryRow => JSON.parse(session.row) as DirectoryRow
