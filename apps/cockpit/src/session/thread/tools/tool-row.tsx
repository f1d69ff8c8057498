// Rows of calls, one for each id: calls of the same tool are told apart.
import type { HarnessToolCall } from 'bridle/client'
import { durationText, elapsedText } from 'bridle/words'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { sessionPath } from '../../../shell/paths.ts'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useNow } from '../../../ui/use-now.ts'
import { CallQuestion } from '../../inspector/timeline/call-question.tsx'
import type { CallTimes, CallWave } from '../thread-index.ts'
import { ToolBody } from './tool-body.tsx'
import { toolBrief } from './tool-brief.ts'
import { toolQuestion } from './tool-question.ts'
import { toolLooks, toolStateOf } from './tool-state.ts'

interface ToolRowProps {
  readonly call: HarnessToolCall
  readonly times: CallTimes | undefined
  readonly wave?: CallWave | undefined
  /** The answer that made the call has ended. */
  readonly isOver: boolean
}

export const ToolRow = memo(({ call, times, wave, isOver }: ToolRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const state = toolStateOf(call, isOver)
  const question = toolQuestion(call, times)
  const { word, icon, tone } = question?.look ?? toolLooks[state]
  const name = question?.title ?? visibleText(call.name)
  const tookMs = times?.elapsedMs ?? call.toolOutcome?.elapsed_ms
  return (
    <div className={`tools${wave ? ` wave-part${wave.isFirst ? ' first' : ''}${wave.isLast ? ' last' : ''}` : ''}`}>
      {wave?.isFirst && (
        <div className="wave-h">
          {wave.wave !== null && <span>Wave {wave.wave}</span>}
          <span>{wave.calls} calls in parallel</span>
        </div>
      )}
      <button
        type="button"
        className={`tool${isOpen ? ' sel' : ''}`}
        aria-expanded={isOpen}
        data-call={call.id}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={`st ${tone}`}>
          <Icon name={icon} size={14} isSpinning={state === 'running'} />
        </span>
        <span className="name trunc" title={name}>
          {name}
        </span>
        <span className="arg trunc">
          {times?.agentId != null && <span className="tag">{visibleText(times.agentId)}</span>}{' '}
          {question?.brief ?? toolBrief(call.arguments ?? {})}
        </span>
        <span className={`out st ${tone}`}>{word}</span>
        <span className="dur">
          {state === 'running' && times?.startedAt != null ? (
            <Running since={times.startedAt} />
          ) : (
            tookMs != null && durationText(tookMs)
          )}
        </span>
      </button>
      {call.child && (
        <Link className="tool-child small" href={sessionPath(call.child)}>
          <Icon name="corner-down-right" size={14} />
          <span className="trunc">Session of {visibleText(call.child.agent)}</span>
        </Link>
      )}
      {isOpen &&
        (question ? (
          <div className="tool-body">
            <CallQuestion question={question.question} />
          </div>
        ) : (
          <ToolBody call={call} reason={times?.reason ?? null} />
        ))}
    </div>
  )
})

const Running = ({ since }: { readonly since: number }) => elapsedText(useNow() - since)
