// Questions with their answers, read only.
import type { GivenAnswer } from 'bridle/client'
import { formFields } from 'bridle/client'
import { answerValueText } from 'bridle/words'
import { Exact } from '../../ui/exact.tsx'
import type { CardApproval } from '../card-approval.ts'

interface GivenAnswersProps {
  readonly asked: Pick<CardApproval, 'questions' | 'schema' | 'reason'>
  /** Null = there is no answer. */
  readonly given: GivenAnswer | null
}

export const GivenAnswers = ({ asked, given }: GivenAnswersProps) => {
  const { questions = [], schema, reason } = asked
  const fields = schema ? formFields(schema) : []
  // A list that has no room for what was asked may still have the answer.
  const names = new Set([...questions.map(({ id }) => id), ...fields.map(({ name }) => name)])
  const others = Object.entries(given?.answers ?? given?.values ?? {}).filter(([name]) => !names.has(name))
  return (
    <div className="col given-answers">
      {questions.length === 0 && reason !== '' && (
        <p className="small t2 exact">
          <Exact text={reason} />
        </p>
      )}
      {questions.map(({ id, question, options = [] }) => (
        <div key={id} className="col">
          <p className="small t2 exact">
            <Exact text={question} />
          </p>
          {given?.answers && Object.hasOwn(given.answers, id) && (
            <p className="exact">
              <b className="medium">
                <Exact text={answerValueText(given.answers[id])} />
              </b>
              <span className="t3"> {optionText(options, given.answers[id])}</span>
            </p>
          )}
        </div>
      ))}
      {given && (fields.length > 0 || others.length > 0) && (
        <dl className="kv">
          {fields.map(({ name, label }) =>
            given.values && Object.hasOwn(given.values, name) ? (
              <Value key={name} name={label} value={given.values[name]} />
            ) : null,
          )}
          {others.map(([name, value]) => (
            <Value key={name} name={name} value={value} />
          ))}
        </dl>
      )}
    </div>
  )
}

const Value = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <>
    <dt className="exact">
      <Exact text={name} />
    </dt>
    <dd className="exact">
      <Exact text={answerValueText(value)} />
    </dd>
  </>
)

/** `option 2 of 3`. */
const optionText = (options: readonly { readonly label: string }[], answer: unknown): string => {
  const at = options.findIndex(({ label }) => label === answer)
  return at === -1 ? '' : `option ${at + 1} of ${options.length}`
}
