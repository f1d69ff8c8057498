// A question as it stood: everything that was asked, controls that are off, and the answer that came later.

import { answerText, questionTitle } from 'bridle/words'
import type { CardApproval } from '../../../approval/card-approval.ts'
import { ExpiryNote } from '../../../approval/question/expiry-note.tsx'
import { FormQuestion } from '../../../approval/question/form-question.tsx'
import { QuestionPart } from '../../../approval/question/question-part.tsx'
import { askedText } from '../../../approval/question/question-words.ts'
import { initialRequest, requestOf } from '../../../approval/question/request-draft.ts'
import { Button } from '../../../ui/button.tsx'
import { exactText } from '../../../ui/exact-text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { usePast } from '../past-context.ts'
import { settlementOf, wholeQuestion } from './past-settlement.ts'
import '../../../approval/question/question.css'

interface PastQuestionProps {
  readonly approval: CardApproval
  readonly seq: number
}

export const PastQuestion = ({ approval: shown, seq }: PastQuestionProps) => {
  const { log, moveTo } = usePast()
  const { id } = shown
  const entry = log?.overview.questionOf(id)
  const approval = wholeQuestion(shown, entry)
  const request = requestOf(approval)
  const draft = request && initialRequest(request)
  const settled = log?.overview.answerOf(id)
  const answer = settlementOf(settled && { ...settled, payload: { ...settled.payload, kind: 'question' } })
  const why = `The page shows event ${seq}: nothing can be decided here.`
  return (
    <article
      id={`approval-${id}`}
      className="appr past question"
      aria-label={`Question as it stood at event ${seq}: ${exactText(askedText(approval))}`}
      tabIndex={-1}
    >
      <div className="h">
        <Icon name="circle-question-mark" size={14} />
        <b className="nowrap">{questionTitle({ ...approval })}</b>
        <span className="right small t2 nowrap">as it stood at event {seq}</span>
      </div>
      <div className="b">
        {request?.questions?.map((question, at) => {
          const own = draft?.questions[at]
          return (
            own && (
              <QuestionPart
                key={question.id}
                question={question}
                draft={own}
                byDefault={request.default?.[question.id]}
                problem={null}
                keyCount={0}
                isDisabled
                isAlone
              />
            )
          )
        })}
        {request?.schema && draft && (
          <FormQuestion
            schema={request.schema}
            reason={approval.reason}
            draft={draft.form}
            problems={new Map()}
            isDisabled
          />
        )}
        <ExpiryNote approval={approval} />
        <div className="acts">
          <Button isDisabled title={why}>
            Answer
          </Button>
          <Button isDisabled title={why}>
            Decline
          </Button>
          {answer && settled && (
            <span className="small t2 row later">
              <Icon name="circle-check" size={14} />
              <span>
                At event {answer.seq}:{' '}
                {exactText([answer.text, answerText(settled.payload)].filter(Boolean).join(': '))}.{' '}
                <button type="button" className="link" onClick={() => moveTo(answer.seq)}>
                  Go to {answer.seq}
                </button>
              </span>
            </span>
          )}
        </div>
      </div>
    </article>
  )
}
