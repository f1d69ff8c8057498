import { answerText } from 'bridle/words'
import { Exact } from '../../ui/exact.tsx'
import type { CardApproval } from '../card-approval.ts'

/** The default that applies at expiry, unless an option is marked with it. */
export const ExpiryNote = ({ approval }: { readonly approval: CardApproval }) => {
  const { expiresAt, default: byDefault, schema, questions = [] } = approval
  if (!expiresAt) return null
  if (byDefault === undefined) return <p className="small t3">Without an answer in time, the question is declined.</p>
  const isOnOption = !schema && questions.every(({ options = [] }) => options.length > 0)
  if (isOnOption) return null
  const given = schema ? { values: byDefault } : { answers: byDefault }
  return (
    <p className="small t2 exact">
      Without an answer in time, this applies: <Exact text={answerText(given)} />
    </p>
  )
}
