// Why it asks, what is at stake, and what each answer leads to.
import { approvalWords, effectText, riskText } from './approval-words.ts'
import type { CardApproval } from './card-approval.ts'
import { Reason } from './reason.tsx'

export const CardFacts = ({ approval }: { readonly approval: CardApproval }) => {
  const { kind, reason, effect, risk } = approval
  const words = approvalWords(kind)
  return (
    <dl className="kv">
      {reason !== '' && (
        <>
          <dt>Why it asks</dt>
          <dd className="pre-line">
            <Reason text={reason} />
          </dd>
        </>
      )}
      {risk && (
        <>
          <dt>Risk</dt>
          <dd className={risk === 'danger' ? 'danger medium' : risk === 'caution' ? 'warn medium' : ''}>
            {riskText(risk)}
          </dd>
        </>
      )}
      {effect && (
        <>
          <dt>Effect</dt>
          <dd>{effectText(effect)}</dd>
        </>
      )}
      {kind !== 'tool' && (
        <>
          <dt>{words.approve}</dt>
          <dd>{words.ifApproved}</dd>
          <dt>{words.deny}</dt>
          <dd>{words.ifDenied}</dd>
        </>
      )}
    </dl>
  )
}
