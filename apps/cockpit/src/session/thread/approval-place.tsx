import { useMemo } from 'react'
import { ApprovalCard } from '../../approval/approval-card.tsx'
import { askedAt, cardOfHarnessApproval } from '../../approval/card-approval.ts'
import { useLive } from '../../server/server-context.tsx'
import { PastApproval } from '../past/approval/past-approval.tsx'
import { PastQuestion } from '../past/approval/past-question.tsx'
import { useSession } from '../session-context.tsx'
import { useHarnessValue, useThreadSource } from './thread-context.tsx'

/** The card of an open approval. The inbox knows more about it, the conversation knows it first. */
export const ApprovalPlace = ({ approvalId }: { readonly approvalId: string }) => {
  const { id, agent } = useThreadSource()
  const { past } = useSession()
  const asked = useHarnessValue((state) => state.approvals?.find((each) => each.id === approvalId))
  const at = askedAt(asked ?? { id: approvalId }, { id, agent })
  const listed = useLive((state) =>
    state.approvals.find(
      (each) => each.id === at.approvalId && each.sessionId === at.session.id && each.agent === at.session.agent,
    ),
  )
  // Several may wait: the strip names the first one, and the keys answer it.
  const isFirst = useHarnessValue((state) => state.approvals?.[0]?.id === approvalId)
  const session = useMemo(() => ({ id, agent, title: null }), [id, agent])
  const approval = useMemo(
    () =>
      asked && {
        ...(listed && { requestedAt: listed.requestedAt, effect: listed.effect, risk: listed.risk }),
        ...cardOfHarnessApproval(asked),
      },
    [asked, listed],
  )
  if (!approval) return null
  const Past = approval.kind === 'question' ? PastQuestion : PastApproval
  if (past) return <Past approval={approval} seq={past.seq} />
  return <ApprovalCard approval={approval} session={session} place="thread" takesKeys={isFirst} />
}
