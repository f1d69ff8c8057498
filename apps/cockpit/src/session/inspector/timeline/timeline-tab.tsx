// The short timeline: the plan, then the calls on one axis with what happened between them.
import { useMemo } from 'react'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { untoldText } from '../../untold.ts'
import { useSelection } from '../use-selection.ts'
import { callsOf } from './call.ts'
import { CallList } from './call-list.tsx'
import { EventBox } from './event-box.tsx'
import { marksOf } from './marks.ts'
import { Plan } from './plan.tsx'
import { hasEvent, timelineRows } from './rows.ts'

export const TimelineTab = () => {
  const { events, detail } = useSession()
  const { turns, milestones } = events
  const calls = useMemo(() => callsOf({ turns }), [turns])
  const rows = useMemo(() => timelineRows(calls, marksOf(milestones)), [calls, milestones])
  const { call, event } = useSelection()
  const selected = call === null ? event : (calls.findLast(({ toolCallId }) => toolCallId === call)?.seq ?? null)
  const isRow = selected !== null && rows.some((row) => hasEvent(row, selected))
  return (
    <>
      {event !== null && !isRow && <EventBox seq={event} />}
      <Plan />
      {detail.runner_kind === 'bridge' && <BridgeNote />}
      {rows.length === 0 ? (
        <p className="insp-empty small t3">No calls so far.</p>
      ) : (
        <CallList rows={rows} count={calls.length} selected={selected} />
      )}
    </>
  )
}

/** A program behind a runner reports less than an agent in the server: the page says so, and shows no empty panels. */
const BridgeNote = () => {
  const { detail } = useSession()
  const untold = detail.capabilities ? untoldText(detail.capabilities) : null
  return (
    <section className="sec small">
      <p>
        <b className="medium">Reduced detail.</b>{' '}
        <span className="t2">
          {visibleText(detail.engine)} runs behind a bridge. {untold}
        </span>
      </p>
    </section>
  )
}
