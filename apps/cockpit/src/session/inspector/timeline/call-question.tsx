import type { FrontendQuestion } from 'bridle/client'
import { GivenAnswers } from '../../../approval/question/given-answers.tsx'
import { Exact } from '../../../ui/exact.tsx'

/** The question of a call, and its answer. */
export const CallQuestion = ({ question: { asked, settled } }: { readonly question: FrontendQuestion }) => (
  <div className="call-question">
    <GivenAnswers asked={asked} given={settled} />
    {settled?.reason && settled.reason !== 'expired' && (
      <p className="small t2 exact">
        “<Exact text={settled.reason} />”
      </p>
    )}
  </div>
)
