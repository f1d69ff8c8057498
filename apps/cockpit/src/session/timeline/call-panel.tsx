// The selected call, or the selected mark: all that the session says of it.

import { durationText } from 'bridle/words'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { keyHintOf } from '../../actions/action-table.ts'
import { useCanBranch } from '../../server/use-can.ts'
import { inboxPath } from '../../shell/paths.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { secondText } from '../../ui/clock.ts'
import { Code, JsonCode } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { Facts } from '../inspector/facts.tsx'
import type { Call } from '../inspector/timeline/call.ts'
import { CallResult, ownArguments } from '../inspector/timeline/call-details.tsx'
import { callLook, callTitle } from '../inspector/timeline/call-look.ts'
import { CallQuestion } from '../inspector/timeline/call-question.tsx'
import type { Mark } from '../inspector/timeline/marks.ts'
import { useSession } from '../session-context.tsx'
import { hrefOfView } from '../views/views.ts'
import type { CallGroupModel } from './model/call-groups.ts'

interface CallPanelProps {
  readonly call: Call
  readonly group: CallGroupModel | null
  readonly onBranch: () => void
  readonly onClose: () => void
}

export const CallPanel = ({ call, group, onBranch, onClose }: CallPanelProps) => {
  const { icon, word, tone } = callLook(call)
  return (
    <>
      <section className="sec">
        <PanelHead seq={call.seq} lastSeq={call.lastSeq} onClose={onClose}>
          <span className={`st ${tone} pill`}>
            <Icon name={icon} size={14} isSpinning={call.status === 'running'} />
            {word}
          </span>
          <code className="medium trunc" title={callTitle(call)}>
            {callTitle(call)}
          </code>
        </PanelHead>
        <CallFacts call={call} group={group} />
        <OpenQuestion call={call} />
      </section>
      {call.error !== null && (
        <section className="sec">
          <h2>Error</h2>
          <p className="small times-text">{visibleText(call.error)}</p>
        </section>
      )}
      {call.question ? (
        <section className="sec">
          <CallQuestion question={call.question} />
        </section>
      ) : (
        <CallValues call={call} />
      )}
      <PanelActs onBranch={onBranch} />
    </>
  )
}

const CallValues = ({ call }: Pick<CallPanelProps, 'call'>) => (
  <>
    <section className="sec">
      {call.arguments === null ? (
        <p className="small t3">Arguments unknown</p>
      ) : (
        <JsonCode label="Arguments" value={ownArguments(call.arguments)} />
      )}
    </section>
    <section className="sec">
      {call.result === undefined ? (
        <p className="small t3">{call.endedAt === null ? 'No result yet.' : 'No result was reported.'}</p>
      ) : (
        <CallResult value={call.result} />
      )}
    </section>
  </>
)

const CallFacts = ({ call, group }: Pick<CallPanelProps, 'call' | 'group'>) => {
  const { wait } = call
  const took = call.durationMs === null ? '' : `${durationText(call.durationMs)}, `
  return (
    <Facts
      facts={[
        ['Call', <code key="id">{visibleText(call.toolCallId)}</code>],
        ['Wave', waveText(call, group)],
        ['Subagent', group?.kind === 'agent' ? group.label : null],
        ['Took', `${took}from ${secondText(call.beganAt)}`],
        ['Waited', wait?.to == null ? null : waitText(wait.to - wait.from, wait.actor, wait.isEdited)],
        ['Decision', call.decision],
        ['Outcome', call.outcome?.outcome_type],
        ['Exit code', call.outcome?.exit_code],
        ['Effect', call.effect],
        [
          'Attempt',
          call.isSuperseded
            ? `${call.attempt}, replaced by a later one`
            : call.attempt > 1
              ? String(call.attempt)
              : null,
        ],
      ]}
    />
  )
}

/** `3, parallel with 2 others`. */
const waveText = ({ wave }: Call, group: CallGroupModel | null): string | null => {
  if (wave === null) return null
  const others = group?.kind === 'wave' ? group.calls.length - 1 : 0
  return others === 0 ? wave : `${wave}, parallel with ${others} ${others === 1 ? 'other' : 'others'}`
}

const waitText = (ms: number, actor: string | null, isEdited: boolean): string =>
  `${durationText(ms)}${actor === null ? '' : ` for ${actor}`}${isEdited ? ', who edited it' : ''}`

const OpenQuestion = ({ call }: { readonly call: Call }) => {
  const { id, agent, detail, past } = useSession()
  const approval = detail.approvals.find(({ toolCallId }) => toolCallId === call.toolCallId)
  // A question of the past has its answer already, or is one of a file.
  if (!approval || past || call.status !== 'waiting') return null
  return (
    <p className="small">
      <Link href={inboxPath({ id: approval.id, sessionId: id, agent })}>
        {call.question ? 'Answer the question' : 'Answer the approval'}
      </Link>
    </p>
  )
}

interface MarkPanelProps {
  readonly mark: Mark
  readonly onBranch: () => void
  readonly onClose: () => void
}

export const MarkPanel = ({ mark, onBranch, onClose }: MarkPanelProps) => {
  const { events } = useSession()
  const entry = events.milestones.find(({ seq }) => seq === mark.seq)
  return (
    <>
      <section className="sec">
        <PanelHead seq={mark.seq} lastSeq={mark.seq} onClose={onClose}>
          <span className={mark.tone}>
            <Icon name={mark.icon} size={14} />
          </span>
          <span className="medium times-text">{visibleText(mark.title)}</span>
        </PanelHead>
        <Facts
          facts={[
            ['At', secondText(mark.at)],
            ['Says', mark.text],
          ]}
        />
      </section>
      {entry && (
        <section className="sec">
          <Code label={entry.type} text={JSON.stringify(entry.payload, null, 2)} />
        </section>
      )}
      <PanelActs onBranch={onBranch} />
    </>
  )
}

interface PanelHeadProps {
  readonly seq: number
  readonly lastSeq: number
  readonly onClose: () => void
  readonly children: ReactNode
}

const PanelHead = ({ seq, lastSeq, onClose, children }: PanelHeadProps) => (
  <div className="row times-panel-h">
    {children}
    <span className="evno right nowrap">{seq === lastSeq ? `event ${seq}` : `events ${seq} to ${lastSeq}`}</span>
    <span className="no-phone">
      <IconButton name="x" label="Close (Esc)" onClick={onClose} />
    </span>
  </div>
)

const PanelActs = ({ onBranch }: { readonly onBranch: () => void }) => {
  const [query] = useSearchParams()
  const [path] = useLocation()
  const canBranch = useCanBranch()
  return (
    <section className="sec">
      <div className="acts">
        {canBranch && (
          <Button icon="git-branch" keyHint={keyHintOf('timeline.branch')} onClick={onBranch}>
            Branch before it
          </Button>
        )}
        <Link className="btn ghost" href={hrefOfView(path, query, null)}>
          <Icon name="message-square" size={14} />
          Show in thread
        </Link>
      </div>
    </section>
  )
}
