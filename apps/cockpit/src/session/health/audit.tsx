// The decisions of operators, policies and the server about a session, by whom, newest first.

import type { HealthEnvelope } from 'bridle/client'
import { CLAIMED, nameText } from 'bridle/words'
import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { Button } from '../../ui/button.tsx'
import { momentText, secondText } from '../../ui/clock.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { showError } from '../../ui/toast.tsx'
import { EventLink } from '../inspector/event-link.tsx'
import { useSession } from '../session-context.tsx'

/** Rows of the audit that come with each click. */
const AUDIT_ROWS = 50
/** Rows of the audit in a snapshot of health, at most: with fewer, there are no older ones. */
const SNAPSHOT_ROWS = 12

type AuditRow = HealthEnvelope['payload']['audit'][number]

export const Audit = () => {
  const { client } = useServer()
  const { id, agent, detail } = useSession()
  const [older, setOlder] = useState<readonly AuditRow[]>([])
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const newest = detail.health.audit.toReversed()
  // Newer rows push the oldest of the snapshot out: rows that were loaded follow them without a gap or a repetition.
  const known = new Set(newest.map((row) => row.event_id))
  const rows = [...newest, ...older.filter((row) => !known.has(row.event_id))]
  if (rows.length === 0) return null
  const load = async (): Promise<void> => {
    setBusy(true)
    try {
      const before = rows.at(-1)?.event_id
      const page = await client.audit(id, { agent, limit: AUDIT_ROWS, ...(before !== undefined && { before }) })
      setOlder((loaded) => [...loaded, ...page.audit])
      setOver(page.next === undefined)
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <h2 className="h3">Audit</h2>
      <ul className="audit">
        {rows.map((row) => (
          <li key={row.event_id}>
            <time className="num t3" dateTime={row.timestamp} title={momentText(row.timestamp)}>
              {secondText(row.timestamp)}
            </time>
            <span>
              <span className="medium">{visibleText(nameText(row.action))}</span>
              {row.actor !== null && ` by ${visibleText(row.actor)}`}
              {row.actor_claimed && <span className="t3"> {CLAIMED}</span>}
              {row.imported && <span className="t3"> (from an imported file)</span>}
              {row.summary !== '' && <span className="t2"> {visibleText(row.summary)}</span>}
            </span>
            <EventLink id={row.event_id} />
          </li>
        ))}
      </ul>
      {!isOver && newest.length >= SNAPSHOT_ROWS && (
        <Button look="ghost" isBusy={isBusy} onClick={() => void load()}>
          Older
        </Button>
      )}
    </>
  )
}
