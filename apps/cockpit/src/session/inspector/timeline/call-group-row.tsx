// A call, or several of a kind as one row that opens.

import { durationText, elapsedText } from 'bridle/words'
import { useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { useSelection } from '../use-selection.ts'
import type { Axis } from './axis.ts'
import type { Call } from './call.ts'
import { CallDetails } from './call-details.tsx'
import { callLook, callTitle } from './call-look.ts'
import type { CallGroup } from './rows.ts'

interface CallGroupRowProps {
  readonly calls: CallGroup['calls']
  readonly axis: Axis
  readonly now: number
  /** The number of the selected event, where it is one of these calls. */
  readonly selected: number | null
}

export const CallGroupRow = ({ calls, axis, now, selected }: CallGroupRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const { select } = useSelection()
  const isShown = isOpen || selected !== null
  const [first] = calls
  const isSelected = (call: Call): boolean => selected === call.seq || selected === call.lastSeq
  const toggle = (call: Call): void =>
    select(isSelected(call) ? { call: null, event: null } : { call: call.toolCallId, event: String(call.seq) })
  if (calls.length === 1)
    return (
      <>
        <CallRow calls={calls} axis={axis} now={now} isOpen={isSelected(first)} onClick={() => toggle(first)} />
        {isSelected(first) && <CallDetails call={first} />}
      </>
    )
  return (
    <>
      <CallRow calls={calls} axis={axis} now={now} isOpen={isShown} onClick={() => setOpen(!isShown)} />
      {isShown &&
        calls.map((call) => (
          <div key={call.seq} className="tl-in">
            <CallRow calls={[call]} axis={axis} now={now} isOpen={isSelected(call)} onClick={() => toggle(call)} />
            {isSelected(call) && <CallDetails call={call} />}
          </div>
        ))}
    </>
  )
}

interface CallRowProps extends Omit<CallGroupRowProps, 'selected'> {
  readonly isOpen: boolean
  readonly onClick: () => void
}

const CallRow = ({ calls, axis, now, isOpen, onClick }: CallRowProps) => {
  const [call] = calls
  const { icon, word, tone, bar } = callLook(call)
  const from = axis.at(Math.min(...calls.map(({ beganAt }) => beganAt)))
  const to = axis.at(Math.max(...calls.map(({ beganAt, endedAt }) => endedAt ?? Math.max(now, beganAt))))
  return (
    <button type="button" className={`tl-row${isOpen ? ' sel' : ''}`} aria-expanded={isOpen} onClick={onClick}>
      <span className={`st ${tone}`} title={word}>
        <Icon name={icon} size={14} isSpinning={call.status === 'running'} />
        <span className="vh">{word}</span>
      </span>
      <span className="nm trunc">
        {callTitle(call)}
        {calls.length > 1 && <span className="t2"> ×{calls.length}</span>}
      </span>
      <span className="trk">
        <i className={bar} style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `${(to - from) * 100}%` }} />
      </span>
      <span className="dur">{durationOf(calls, now)}</span>
    </button>
  )
}

/** The sum of the calls' own times; the clock of an open one runs. */
const durationOf = (calls: CallRowProps['calls'], now: number): string => {
  const [call] = calls
  if (call.status === 'waiting') return 'waiting'
  if (call.status === 'running') return elapsedText(now - call.beganAt)
  const told = calls.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]))
  return told.length === 0 ? '' : durationText(told.reduce((sum, ms) => sum + ms, 0))
}
