// Acts that are announced and not sent yet: each is sent when its note goes away, and at once when the page goes away. They
// belong to no page, so that somebody who leaves the list still gets what was asked for.

import type { FabricClient, SessionRow } from 'bridle/client'
import { plural } from 'bridle/words'
import { useSyncExternalStore } from 'react'
import { visibleText } from '../../ui/plain-text.ts'
import { titleText } from '../../ui/script-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { rowKey } from '../list/row-order.ts'
import { actWords, type SessionAct } from './session-acts.ts'

/** Time for the stream of changes to bring what an act did: it sends at most four changes a second. */
const SETTLE_MS = 1_000

interface PendingAct {
  readonly act: SessionAct
  readonly rows: readonly SessionRow[]
  readonly canUndo: () => boolean
  readonly undo: () => void
  readonly send: (isLeaving: boolean) => void
}

let pending: readonly PendingAct[] = []
let byRow: ReadonlyMap<string, SessionAct> = new Map()
const listeners = new Set<() => void>()

const set = (next: readonly PendingAct[]): void => {
  pending = next
  byRow = new Map(next.flatMap(({ act, rows }) => rows.map((row) => [rowKey(row), act])))
  for (const listener of listeners) listener()
}

/** Announces the act; it is sent in five seconds unless somebody undoes it. */
export const announceAct = (client: FabricClient, act: SessionAct, rows: readonly SessionRow[]): void => {
  if (rows.length === 0) return
  let isSent = false
  const remove = (): void => set(pending.filter((other) => other !== entry))
  const send = (isLeaving: boolean): void => {
    if (!pending.includes(entry) || isSent) return
    isSent = true
    removeToast()
    // The lists hear of the act a moment after the answer: until then the rows stay as announced, or they would flicker.
    void sendAct(client, act, rows, isLeaving).then((isDone) => (isDone ? setTimeout(remove, SETTLE_MS) : remove()))
  }
  const entry: PendingAct = {
    act,
    rows,
    canUndo: () => !isSent,
    undo: () => {
      removeToast()
      remove()
    },
    send,
  }
  set([...pending, entry])
  const removeToast = showToast({
    text: `${actWords[act].announced} ${rowsText(rows)}`,
    action: { label: 'Undo (Ctrl Z)', run: () => entry.undo() },
    onEnd: () => send(false),
  })
}

const rowsText = (rows: readonly SessionRow[]): string => {
  const [row] = rows
  return rows.length === 1 && row ? `“${visibleText(titleText(row))}”` : plural(rows.length, 'session')
}

/** Undoes the newest act that is not sent yet. */
export const undoNewest = (): boolean => {
  const newest = pending.findLast(({ canUndo }) => canUndo())
  newest?.undo()
  return newest !== undefined
}

const sendAct = async (
  client: FabricClient,
  act: SessionAct,
  rows: readonly SessionRow[],
  isLeaving: boolean,
): Promise<boolean> => {
  const outcomes = await Promise.allSettled(
    rows.map(({ id, agent }) =>
      client.request(`sessions/${encodeURIComponent(id)}/${act}?${new URLSearchParams({ agent })}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
        // A request of a page that closes ends with it, unless it says so.
        keepalive: isLeaving,
      }),
    ),
  )
  const failures = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ row: rows[at], reason: outcome.reason as Error }] : [],
  )
  const [first] = failures
  if (!first?.row) return true
  const more = failures.length > 1 ? ` So did ${failures.length - 1} more.` : ''
  showToast({ text: `${rowsText([first.row])} refused: ${first.reason.message}${more}`, tone: 'bad' })
  return false
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The act that a row waits for, by the row's key. */
export const usePendingActs = (): ReadonlyMap<string, SessionAct> => useSyncExternalStore(subscribe, () => byRow)

addEventListener('pagehide', () => {
  for (const entry of pending) entry.send(true)
})
