// What every store refuses. The same checks in all of them, so that a session meets no surprise when it moves.
import { isId, type Key, keyText } from '../kernel/event.ts'
import { type BranchParent, type Lease, type LogAppend, StoreFault } from '../kernel/ports/store.ts'

/** How many branches may hang from one another. A read follows them all, so there must be an end. */
export const lineageMax = 1000

const refuse = (message: string): never => {
  throw new StoreFault('refused', message)
}

/** Ids outside the grammar could collide once stored (a lone surrogate does not survive), so they are never stored. */
export const checkKey = (key: Key): void => {
  if (!isId(key.tenant) || !isId(key.agent) || !isId(key.id)) refuse(`not a session key: ${JSON.stringify(key)}`)
}

export const checkAppend = (lease: Lease, append: LogAppend, head: number, isNew: boolean): void => {
  const { events, row, results, snapshot } = append
  const { key } = lease
  if (events.length === 0 && !results?.length && (isNew || !row)) refuse(`${keyText(key)}: an append of nothing`)
  if (isNew && !row) refuse(`${keyText(key)}: the first append needs a row`)
  let due = head
  for (const { seq } of events) if (seq !== ++due) refuse(`${keyText(key)}: event ${seq} where ${due} was due`)
  if (snapshot && snapshot.seq > head + events.length)
    refuse(`${keyText(key)}: a snapshot at ${snapshot.seq}, beyond the log`)
}

/** What a branch needs to know of the session it leaves. */
export interface BranchPoint {
  readonly head: number
  /** Where the oldest readable event begins. */
  readonly root: number
  readonly depth: number
}

export const checkBranch = (key: Key, from: BranchParent, parent: BranchPoint | undefined, tombstone: number): void => {
  const name = `${keyText(key)} from ${from.agent}/${from.id} at ${from.seq}`
  if (!parent) return refuse(`${name}: no such parent`)
  if (!Number.isSafeInteger(from.seq) || from.seq < parent.root || from.seq > parent.head)
    refuse(`${name}: the parent has ${parent.root} to ${parent.head}`)
  if (parent.depth >= lineageMax) refuse(`${name}: more than ${lineageMax} branches deep`)
  // A client may hold a cursor into the removed session of this key; its numbers must not come back as other events.
  if (from.seq < tombstone) refuse(`${name}: a removed session of this key reached ${tombstone}`)
}

export const fencedFault = (key: Key): StoreFault => new StoreFault('fenced', `${keyText(key)} has another owner`)
