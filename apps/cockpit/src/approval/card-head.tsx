// The head of a card: the question, where it comes from, how old it is and how long it may wait.

import { Link } from 'wouter'
import { inboxPath, sessionPath } from '../shell/paths.ts'
import { Age } from '../ui/age.tsx'
import { Exact } from '../ui/exact.tsx'
import { exactText } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { titleText } from '../ui/script-text.ts'
import { questionVerb } from './approval-words.ts'
import { askedAt, type CardApproval, type CardSession } from './card-approval.ts'
import { Expiry } from './expiry.tsx'

interface CardHeadProps {
  readonly approval: CardApproval
  readonly session: CardSession
  readonly place: 'thread' | 'inbox'
  readonly isSending: boolean
}

export const CardHead = ({ approval, session, place, isSending }: CardHeadProps) => {
  const { kind, toolName, requestedAt, expiresAt, child } = approval
  const asked = askedAt(approval, session)
  const times = (
    <>
      {requestedAt !== undefined && (
        <span className="nowrap">
          asked <Age at={requestedAt} isAgo />
        </span>
      )}
      {expiresAt && <Expiry at={expiresAt} />}
    </>
  )
  if (place === 'thread')
    return (
      <div className="h">
        <Icon
          name={isSending ? 'loader-circle' : kind === 'budget' ? 'gauge' : 'shield-alert'}
          isSpinning={isSending}
        />
        <b className="nowrap">{isSending ? 'Sending your answer' : 'Approval needed'}</b>
        <code className="exact grow">{exactText(toolName)}</code>
        {child && (
          <span className="small t2 nowrap">
            asked by <Link href={sessionPath(child)}>{exactText(child.agent)}</Link>
          </span>
        )}
        <span className="row small t2 card-times">{times}</span>
        <Link
          className="small nowrap no-phone"
          href={inboxPath({ id: asked.approvalId, sessionId: asked.session.id, agent: asked.session.agent })}
        >
          open in inbox
        </Link>
      </div>
    )
  const { verb, object } = questionVerb(approval)
  return (
    <div className="col card-title">
      <h2>
        {kind === 'budget' ? 'The budget' : <code className="exact">{exactText(toolName)}</code>} {verb}
        {object !== undefined && (
          <>
            {' '}
            <code className="exact">
              <Exact text={object} />
            </code>
          </>
        )}
      </h2>
      <div className="row wrap small t2">
        <Link href={sessionPath(session)}>{exactText(titleText(session))}</Link>
        <span className="tag">{exactText(session.agent)}</span>
        {times}
        {!expiresAt && <span className="t3">no expiry</span>}
      </div>
    </div>
  )
}
