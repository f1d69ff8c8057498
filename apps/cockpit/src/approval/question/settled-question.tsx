// A question that has its answer, was declined, or expired.
import type { GivenAnswer } from 'bridle/client'
import { roughTimeText } from 'bridle/words'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { minuteText } from '../../ui/clock.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { exactText } from '../../ui/exact-text.ts'
import { Icon } from '../../ui/icon.tsx'
import type { CardApproval, CardSettlement } from '../card-approval.ts'
import { GivenAnswers } from './given-answers.tsx'
import { askedText } from './question-words.ts'
import { settledLook } from './settled-look.ts'

interface SettledQuestionProps {
  readonly approval: CardApproval
  readonly settlement: CardSettlement
  /** The answer of this page was not taken. */
  readonly isLate: boolean
  /** The unsent answer of this page. */
  readonly lostText: string | null
  readonly onDismiss?: () => void
}

export const SettledQuestion = ({ approval, settlement, isLate, lostText, onDismiss }: SettledQuestionProps) => {
  const { by, reason } = settlement
  const card = useRef<HTMLElement>(null)
  // The focused button is gone: keep the keyboard here, not at the top of the page.
  useEffect(() => {
    if (document.activeElement === document.body) card.current?.focus({ preventScroll: true })
  }, [])
  const { word, icon, tone, consequence } = settledLook(settlement)
  return (
    <article
      ref={card}
      className="appr settled question"
      aria-label={`${word}: ${exactText(askedText(approval))}`}
      tabIndex={-1}
    >
      <div className="h" role="status">
        <span className={`st ${tone}`}>
          <Icon name={icon} size={14} />
        </span>
        <b>{word}</b>
        <span className="right small t3 num nowrap">{exactText(factsText(approval, settlement))}</span>
        {lostText !== null && <CopyButton text={lostText} label="Copy my answer" />}
        {onDismiss && (
          <Button look="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        )}
      </div>
      <div className="b">
        <GivenAnswers asked={approval} given={givenOf(approval, settlement)} />
        {reason && <p className="small">“{exactText(reason)}”</p>}
        {consequence !== '' && <p className="small t2">{consequence}</p>}
        {isLate && (
          <p className="small t2">{exactText(by ?? 'Somebody else')} was first, so your answer was not used.</p>
        )}
        {!isLate && lostText !== null && <p className="small t2">Your answer was not sent.</p>}
      </div>
    </article>
  )
}

/** The refusal of a late answer says only that the default applies, so its value comes from the question. */
const givenOf = (
  { schema, default: byDefault }: CardApproval,
  { answers, values, isDefault }: CardSettlement,
): GivenAnswer | null => {
  if (answers) return { answers }
  if (values) return { values }
  if (!isDefault || !byDefault) return null
  return schema ? { values: byDefault } : { answers: byDefault as NonNullable<GivenAnswer['answers']> }
}

/** `ann · 10:21 · after 48 s`. */
const factsText = ({ requestedAt }: CardApproval, { by, at }: CardSettlement): string => {
  const took = at !== null && requestedAt !== undefined ? Date.parse(at) - Date.parse(requestedAt) : null
  return [by, at && minuteText(at), took !== null && `after ${roughTimeText(took)}`].filter(Boolean).join(' · ')
}
