// Shared by all stores, so that a session can move between stores.
import { isId, type Key, keyText } from '../event.ts'
import type { Lease, LogAppend } from '../ports/log.ts'
import { StoreFault } from '../ports/store-fault.ts'

const refuse = (message: string): never => {
  throw new StoreFault('refused', message)
}

/** Ids outside the grammar could collide in storage: lone surrogates, for example, do not survive. */
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

export const fencedFault = (key: Key): StoreFault => new StoreFault('fenced', `${keyText(key)} has another owner`)
