// A branch copies no history: it reads its ancestors up to each branch point. Free of I/O, so that every store can use it.

import { LINEAGE_MAX } from '@bridle/events/limits'
import { type Key, keyText } from '../event.ts'
import type { BranchParent, KnownPieces } from '../ports/log.ts'
import { StoreFault } from '../ports/store-fault.ts'

/** Numbers start after `base`, which is the branch point of a branch. */
export interface LineageMember {
  readonly base: number
  readonly incarnation: number
}

/** `upTo`: the last number that the branch reads from this session. */
export interface LineageLevel<S> {
  readonly session: S
  readonly upTo: number
}

/** Nearest session first. `upTo` bounds the session itself. */
export const lineageLevels = <S extends LineageMember>(chain: readonly S[], upTo: number): LineageLevel<S>[] => {
  let last = upTo
  let branchPoint = upTo
  return chain.map((session) => {
    last = Math.min(last, branchPoint)
    branchPoint = session.base
    return { session, upTo: last }
  })
}

export interface EventStretch<S> {
  readonly session: S
  readonly after: number
  readonly upTo: number
}

export const eventStretches = <S extends LineageMember>(
  levels: readonly LineageLevel<S>[],
  after: number,
): EventStretch<S>[] =>
  levels
    .toReversed()
    .map(({ session, upTo }) => ({ session, after: Math.max(after, session.base), upTo }))
    .filter((stretch) => stretch.after < stretch.upTo)

export interface BranchPoint {
  readonly head: number
  /** Readable events start after this number. */
  readonly root: number
  readonly depth: number
}

export const branchPointOf = <S extends LineageMember>(levels: readonly LineageLevel<S>[]): BranchPoint => ({
  head: levels[0]!.upTo,
  root: levels.at(-1)!.session.base,
  depth: levels.length,
})

/** Keeps the numbers of a removed session from being reused for other events. */
export interface Tombstone {
  readonly head: number
  readonly incarnation: number
}

/** `least`: the minimum for all logs after a loss that could not be attributed to one of them. */
export const effectiveIncarnation = ({ incarnation }: Pick<LineageMember, 'incarnation'>, least: number): number =>
  Math.max(incarnation, least)

/** Throws if a new session cannot branch at that event. */
export const sessionOrigin = (
  key: Key,
  from: BranchParent | null,
  parent: BranchPoint | undefined,
  tombstone: Tombstone | undefined,
  least: number,
): LineageMember => {
  if (!from) return { base: tombstone?.head ?? 0, incarnation: tombstone?.incarnation ?? 1 }
  checkBranch(key, from, parent, tombstone?.head ?? 0)
  // Cursors of a removed branch use the parent's numbers, so only the incarnation tells them apart.
  return { base: from.seq, incarnation: tombstone ? effectiveIncarnation(tombstone, least) + 1 : 1 }
}

const checkBranch = (key: Key, from: BranchParent, parent: BranchPoint | undefined, tombstoneHead: number): void => {
  const name = `${keyText(key)} from ${from.agent}/${from.id} at ${from.seq}`
  const refuse = (why: string) => new StoreFault('refused', `${name}: ${why}`)
  if (!parent) throw refuse('no such parent')
  if (!Number.isSafeInteger(from.seq) || from.seq < parent.root || from.seq > parent.head)
    throw refuse(`the parent has ${parent.root} to ${parent.head}`)
  if (parent.depth >= LINEAGE_MAX) throw refuse(`more than ${LINEAGE_MAX} branches deep`)
  // Clients may hold cursors of the removed session; its numbers must not return as other events.
  if (from.seq < tombstoneHead) throw refuse(`a removed session of this key reached ${tombstoneHead}`)
}

export interface SnapshotCandidate<S, H> {
  readonly snapshot: H
  readonly levels: readonly LineageLevel<S>[]
}

/** Nearest session first, then newest. Lazy: ancestors are only read if all nearer snapshots are damaged or absent. */
export function* snapshotCandidates<S, H extends { readonly seq: number }>(
  levels: readonly LineageLevel<S>[],
  snapshotsOf: (level: LineageLevel<S>) => Iterable<H>,
): Generator<SnapshotCandidate<S, H>> {
  for (const [depth, level] of levels.entries()) {
    const usable = [...snapshotsOf(level)].filter(({ seq }) => seq <= level.upTo)
    for (const snapshot of usable.sort((a, b) => b.seq - a.seq)) yield { snapshot, levels: levels.slice(depth) }
  }
}

/** The opener's pieces that no level rewrote after the older of both snapshots. `rewrittenSince` returns indexes. */
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
