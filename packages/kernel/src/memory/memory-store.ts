// For tests, demos and the simulation. Events are kept encoded, so that later changes to a caller's objects do not reach the log.
import { type Event, type Key, keyText } from '../event.ts'
import type { Directory } from '../ports/directory.ts'
import type {
  BranchParent,
  KnownPieces,
  Lease,
  Log,
  LogAppend,
  Snapshot,
  SnapshotWrite,
  StoredAnswer,
} from '../ports/log.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { checkAppend, checkKey, fencedFault } from './checks.ts'
import {
  branchPointOf,
  eventStretches,
  type LineageLevel,
  lineageLevels,
  sessionOrigin,
  snapshotCandidates,
  unchangedPieces,
} from './lineage.ts'
import { type MemoryData, type MemorySession, memoryHeadOf, memoryIncarnationOf } from './memory-data.ts'
import { memoryDirectory } from './memory-directory.ts'

export interface MemoryStore {
  readonly log: Log
  readonly directory: Directory
  readonly epoch: number
  /** A new owner of the same data, as after a restart. Fences this store's leases. */
  reopen(): MemoryStore
}

export const memoryStore = (
  data: MemoryData = { sessions: new Map(), tombstones: new Map(), epoch: 0, created: 0 },
): MemoryStore => {
  const epoch = ++data.epoch
  return { log: memoryLog(data, epoch), directory: memoryDirectory(data), epoch, reopen: () => memoryStore(data) }
}

const memoryLog = (data: MemoryData, epoch: number): Log => {
  const leased = new WeakMap<Lease, MemorySession>()
  const live = (key: Key): MemorySession | undefined => data.sessions.get(keyText(key))

  /** Where a new session would start. */
  const origin = (key: Key, from: BranchParent | null): Pick<MemorySession, 'base' | 'parent' | 'incarnation'> => {
    const session = from ? live({ tenant: key.tenant, agent: from.agent, id: from.id }) : undefined
    const branchPoint = session && branchPointOf(levelsOf(session))
    const begin = sessionOrigin(key, from, branchPoint, data.tombstones.get(keyText(key)), data.incarnation ?? 1)
    return { ...begin, parent: from && { session: session!, seq: from.seq } }
  }

  const locate = (lease: Lease): MemorySession | undefined => {
    const session = leased.get(lease) ?? live(lease.key)
    if (session?.removed || (!session && lease.exists)) throw fencedFault(lease.key)
    return session
  }

  const create = (lease: Lease): MemorySession => ({
    key: { ...lease.key },
    order: ++data.created,
    ...origin(lease.key, lease.parent),
    events: [],
    answers: new Map(),
    snapshots: new Map(),
    pieces: new Map(),
    row: '',
    wake: { inHand: false, dueAt: null },
    removed: false,
  })

  return {
    check() {
      if (epoch < data.epoch) throw new StoreFault('fenced', 'another owner has taken over the data')
    },

    async open(key, from, known) {
      checkKey(key)
      if (epoch < data.epoch) return null
      const session = live(key)
      if (session) {
        const parent = session.parent && { ...nameOf(session.parent.session), seq: session.parent.seq }
        const lease: Lease = {
          key,
          epoch,
          exists: true,
          head: memoryHeadOf(session),
          parent,
          snapshot: bestSnapshot(session),
          incarnation: memoryIncarnationOf(data, session),
          parentIncarnation: session.parent && memoryIncarnationOf(data, session.parent.session),
        }
        leased.set(lease, session)
        return lease
      }
      const { base, parent, incarnation } = origin(key, from ?? null)
      const snapshot = parent && !known?.hasState ? bestSnapshot(parent.session, base, known) : null
      const logs = {
        incarnation: memoryIncarnationOf(data, { incarnation }),
        parentIncarnation: parent && memoryIncarnationOf(data, parent.session),
      }
      return { key, epoch, exists: false, head: base, parent: from ?? null, snapshot, ...logs }
    },

    async append(lease, append) {
      if (lease.epoch < data.epoch) throw fencedFault(lease.key)
      const existing = locate(lease)
      const session = existing ?? create(lease)
      checkAppend(lease, append, memoryHeadOf(session), !existing)
      checkAnswers(session, append)
      const encoded = encode(lease.key, append)
      // Atomicity: nothing below can fail.
      data.sessions.set(keyText(session.key), session)
      leased.set(lease, session)
      for (const event of encoded.events) session.events.push(event)
      if (encoded.row !== undefined) session.row = encoded.row
      if (append.wake) session.wake = { ...append.wake }
      for (const [commandId, answer] of encoded.answers) session.answers.set(commandId, answer)
      if (append.snapshot) writeSnapshot(session, append.snapshot)
    },

    async read(key, after, limit, { charsMax = Number.POSITIVE_INFINITY } = {}) {
      const session = live(key)
      const texts: string[] = []
      let chars = 0
      for (const { session: part, after: start, upTo } of session ? eventStretches(levelsOf(session), after) : []) {
        const from = start - part.base
        const to = Math.min(upTo - part.base, from + limit - texts.length)
        for (let at = from; at < to && chars < charsMax; at++) {
          texts.push(part.events[at]!)
          chars += part.events[at]!.length
        }
      }
      return texts.map((text) => JSON.parse(text) as Event)
    },

    async result(key, commandId) {
      const text = live(key)?.answers.get(commandId)
      return text === undefined ? null : (JSON.parse(text) as StoredAnswer)
    },

    async remove(key) {
      const session = live(key)
      if (!session) return false
      if (epoch < data.epoch) throw fencedFault(key)
      session.removed = true
      data.sessions.delete(keyText(key))
      data.tombstones.set(keyText(key), { head: memoryHeadOf(session), incarnation: session.incarnation })
      return true
    },

    async reserve(key, head) {
      if (epoch < data.epoch) throw fencedFault(key)
      if (live(key)) throw new StoreFault('refused', `${keyText(key)} exists`)
      const { head: used = 0, incarnation = 1 } = data.tombstones.get(keyText(key)) ?? {}
      data.tombstones.set(keyText(key), { head: Math.max(used, head), incarnation })
    },
  }
}

const levelsOf = (session: MemorySession, upTo = memoryHeadOf(session)): LineageLevel<MemorySession>[] => {
  const chain = [session]
  for (let at = session.parent; at; at = at.session.parent) chain.push(at.session)
  return lineageLevels(chain, upTo)
}

const checkAnswers = ({ key, answers }: MemorySession, { results = [] }: LogAppend): void => {
  const ids = results.map(({ commandId }) => commandId)
  const taken = ids.find((id, index) => answers.has(id) || ids.indexOf(id) < index)
  if (taken !== undefined) throw new StoreFault('refused', `${keyText(key)}: ${taken} is answered already`)
}

const encode = (key: Key, { events, row, results = [] }: LogAppend) => {
  try {
    return {
      events: events.map((event) => JSON.stringify(event)),
      row: row && JSON.stringify(row),
      answers: results.map((answer): [string, string] => [answer.commandId, JSON.stringify(answer)]),
    }
  } catch (cause) {
    throw new StoreFault('refused', `${keyText(key)}: an append that is not JSON`, cause)
  }
}

const writeSnapshot = (session: MemorySession, { pieces, ...snapshot }: SnapshotWrite): void => {
  for (const [seq, older] of session.snapshots) if (!older.keep) session.snapshots.delete(seq)
  session.snapshots.set(snapshot.seq, snapshot)
  for (const { index, text } of pieces) {
    const versions = (session.pieces.get(index) ?? []).filter(({ seq }) => seq !== snapshot.seq)
    session.pieces.set(index, [...versions, { seq: snapshot.seq, text }])
  }
}

/** The newest snapshot at or below `limit` whose pieces are complete. Pieces that the opener has are left out. */
const bestSnapshot = (
  session: MemorySession,
  limit?: number,
  known: KnownPieces = { seq: 0, count: 0 },
): Snapshot | null => {
  const all = levelsOf(session, limit)
  for (const { snapshot, levels } of snapshotCandidates(all, (level) => level.session.snapshots.values())) {
    const { seq, foldVersion, state, settled } = snapshot
    const unchanged = unchangedPieces(all, known, snapshot, rewrittenSince)
    const pieces: (string | null)[] = []
    for (let index = 0; index < settled; index++) {
      const text = unchanged.has(index) ? null : pieceAt(levels, index, seq)
      if (text === undefined) break
      pieces.push(text)
    }
    if (pieces.length === settled) return { seq, foldVersion, state, pieces }
  }
  return null
}

const rewrittenSince = ({ pieces }: MemorySession, since: number): number[] =>
  [...pieces].flatMap(([index, versions]) => (versions.some(({ seq }) => seq > since) ? [index] : []))

/** As of `seq`: later rewrites must not change older snapshots. */
const pieceAt = (levels: readonly LineageLevel<MemorySession>[], index: number, seq: number): string | undefined => {
  for (const { session, upTo } of levels) {
    const versions = (session.pieces.get(index) ?? []).filter((version) => version.seq <= Math.min(seq, upTo))
    if (versions.length > 0) return versions.reduce((best, next) => (next.seq > best.seq ? next : best)).text
  }
  return undefined
}

const nameOf = ({ key: { agent, id } }: MemorySession) => ({ agent, id })
