// Branches, without I/O. A branch has no copy of its history: it reads the events and snapshots of its parent up to the branch
// point, and the parent reads those of its parent. A store fetches the chain of sessions in whatever way suits it,
// synchronously or not, and asks here what follows from it.

import { LINEAGE_MAX } from '@bridle/events/limits'
import { type Key, keyText } from '../event.ts'
import type { BranchParent, KnownPieces } from '../ports/log.ts'
import { StoreFault } from '../ports/store-fault.ts'

/** A session as far as lineage goes. Its numbers begin behind `base`; the base of a branch is the branch point. */
export interface LineageMember {
  readonly base: number
  readonly incarnation: number
}

/** A session of a chain, and the last of its numbers that the branch reads. */
export interface LineageLevel<S> {
  readonly session: S
  readonly upTo: number
}

/** The levels of a chain: the session itself first, then those it hangs from. `upTo` bounds the session itself. */
export const lineageLevels = <S extends LineageMember>(chain: readonly S[], upTo: number): LineageLevel<S>[] => {
  let last = upTo
  let branchPoint = upTo
  return chain.map((session) => {
    last = Math.min(last, branchPoint)
    branchPoint = session.base
    return { session, upTo: last }
  })
}

/** The events behind `after` that a level holds for the branch. */
export interface EventStretch<S> {
  readonly session: S
  readonly after: number
  readonly upTo: number
}

/** Where the events behind `after` are, in the order of their numbers. */
export const eventStretches = <S extends LineageMember>(
  levels: readonly LineageLevel<S>[],
  after: number,
): EventStretch<S>[] =>
  levels
    .toReversed()
    .map(({ session, upTo }) => ({ session, after: Math.max(after, session.base), upTo }))
    .filter((stretch) => stretch.after < stretch.upTo)

/** The numbers of a session that a branch may leave at. */
export interface BranchPoint {
  readonly head: number
  /** The oldest readable event is behind this number. */
  readonly root: number
  readonly depth: number
}

export const branchPointOf = <S extends LineageMember>(levels: readonly LineageLevel<S>[]): BranchPoint => ({
  head: levels[0]!.upTo,
  root: levels.at(-1)!.session.base,
  depth: levels.length,
})

/** A removed session leaves this for its key: the next session of the key must not give its numbers to other events. */
export interface Tombstone {
  readonly head: number
  readonly incarnation: number
}

/** `least` is the incarnation that a loss which nobody can pin down gave to all logs at once. */
export const effectiveIncarnation = ({ incarnation }: Pick<LineageMember, 'incarnation'>, least: number): number =>
  Math.max(incarnation, least)

/** The base and incarnation of a session that does not exist yet. Throws when it cannot branch at that event. */
export const sessionOrigin = (
  key: Key,
  from: BranchParent | null,
  parent: BranchPoint | undefined,
  tombstone: Tombstone | undefined,
  least: number,
): LineageMember => {
  if (!from) return { base: tombstone?.head ?? 0, incarnation: tombstone?.incarnation ?? 1 }
  checkBranch(key, from, parent, tombstone?.head ?? 0)
  // Cursors of the removed session lie among the numbers of the parent: only the incarnation tells them apart.
  return { base: from.seq, incarnation: tombstone ? effectiveIncarnation(tombstone, least) + 1 : 1 }
}

const checkBranch = (key: Key, from: BranchParent, parent: BranchPoint | undefined, tombstoneHead: number): void => {
  const name = `${keyText(key)} from ${from.agent}/${from.id} at ${from.seq}`
  const refuse = (why: string) => new StoreFault('refused', `${name}: ${why}`)
  if (!parent) throw refuse('no such parent')
  if (!Number.isSafeInteger(from.seq) || from.seq < parent.root || from.seq > parent.head)
    throw refuse(`the parent has ${parent.root} to ${parent.head}`)
  if (parent.depth >= LINEAGE_MAX) throw refuse(`more than ${LINEAGE_MAX} branches deep`)
  // A client may hold a cursor into the removed session of this key; its numbers must not come back as other events.
  if (from.seq < tombstoneHead) throw refuse(`a removed session of this key reached ${tombstoneHead}`)
}

/** A snapshot, and the levels whose pieces it is made of: the level that has it, and those below. */
export interface SnapshotCandidate<S, H> {
  readonly snapshot: H
  readonly levels: readonly LineageLevel<S>[]
}

/**
 * The snapshots that a lineage may begin with, best first: those of the session before those of its parent, the newest
 * first. `snapshotsOf` is asked level by level, when all before were damaged or absent.
 */
export function* snapshotCandidates<S, H extends { readonly seq: number }>(
  levels: readonly LineageLevel<S>[],
  snapshotsOf: (level: LineageLevel<S>) => Iterable<H>,
): Generator<SnapshotCandidate<S, H>> {
  for (const [depth, level] of levels.entries()) {
    const usable = [...snapshotsOf(level)].filter(({ seq }) => seq <= level.upTo)
    for (const snapshot of usable.sort((a, b) => b.seq - a.seq)) yield { snapshot, levels: levels.slice(depth) }
  }
}

/**
 * Pieces of a snapshot that the opener need not read again: those that no level wrote again since the older of the opener's
 * snapshot and this one. `rewrittenSince` gives the indexes that a level wrote behind a number.
 */
export const unchangedPieces = <S>(
  levels: readonly LineageLevel<S>[],
  known: KnownPieces,
  { seq, settled }: { readonly seq: number; readonly settled: number },
  rewrittenSince: (session: S, seq: number) => Iterable<number>,
): Set<number> => {
  const indexes = new Set(Array.from({ length: Math.min(known.count, settled) }, (_, index) => index))
  if (indexes.size === 0) return indexes
  for (const { session } of levels)
    for (const index of rewrittenSince(session, Math.min(known.seq, seq))) indexes.delete(index)
  return indexes
}
