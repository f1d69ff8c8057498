// A question or a form, open or settled, in the thread of a session and in the inbox.
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { sessionPath } from '../../shell/paths.ts'
import { exactText } from '../../ui/exact-text.ts'
import { titleText } from '../../ui/script-text.ts'
import type { ApprovalCardProps } from '../approval-card.tsx'
import { approvalKey } from '../card-approval.ts'
import { useDecision } from '../decision.ts'
import { questionDrafts } from '../drafts.ts'
import { useWholeApproval } from '../whole-approval.ts'
import { OpenQuestion } from './open-question.tsx'
import { draftText, initialRequest, type RequestDraft, requestOf } from './request-draft.ts'
import { SettledQuestion } from './settled-question.tsx'
import './question.css'

export const QuestionCard = (props: ApprovalCardProps) => {
  const { approval: listed, session, place, takesKeys = false, isFocused = false, onDecided, onDismiss } = props
  const key = approvalKey(session, listed.id)
  const decision = useDecision(listed, session, onDecided)
  const whole = useWholeApproval(listed, session)
  const approval = whole.type === 'whole' ? whole.approval : listed
  const request = useMemo(() => requestOf(approval), [approval])
  // Null = untouched. The request of an id never changes, so a kept draft still fits it.
  const [touched, setTouched] = useState<RequestDraft | null>(() => questionDrafts.read(key) ?? null)
  const initial = useMemo(() => request && initialRequest(request), [request])
  const draft = touched ?? initial

  const { state } = decision
  // The list may lose the question before the server's reply to this page arrives. Only a later loss is an answer from elsewhere.
  const closed = state.type === 'sending' ? undefined : listed.settlement
  const settlement = state.type === 'given' || state.type === 'late' ? state.settlement : closed
  useEffect(() => questionDrafts.keep(key, settlement ? null : touched), [key, touched, settlement])

  const head = place === 'inbox' && (
    <div className="row wrap question-session">
      <h2>
        <Link href={sessionPath(session)}>{exactText(titleText(session))}</Link>
      </h2>
      <span className="mono t3 small">{session.id}</span>
      <span className="tag">{exactText(session.agent)}</span>
      <Link className="right small" href={sessionPath(session)}>
        Open session
      </Link>
    </div>
  )
  if (settlement || whole.type === 'gone') {
    const lost = state.type !== 'given' && touched && request ? draftText(request, touched) : ''
    return (
      <>
        {head}
        <SettledQuestion
          approval={approval}
          settlement={settlement ?? { decision: 'closed', by: null, at: null }}
          isLate={state.type === 'late'}
          lostText={lost === '' ? null : lost}
          {...(onDismiss && { onDismiss })}
        />
      </>
    )
  }
  return (
    <>
      {head}
      <OpenQuestion
        approval={approval}
        session={session}
        whole={whole}
        request={request}
        draft={draft}
        decision={decision}
        place={place}
        takesKeys={takesKeys}
        isFocused={isFocused}
        onChange={setTouched}
      />
    </>
  )
}
