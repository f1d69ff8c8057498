// A question of the agent. The call has no approval: its answer is a result of the page, as assistant-ui calls it.
import type { ToolCallMessagePartProps } from '@assistant-ui/react'
import { type AnswerInput, answerFields, exactText, type QuestionRequest, readAnswer } from 'bridle/client'
import type { FormEvent } from 'react'
import { useSession } from './client.tsx'

type QuestionFormProps = Pick<ToolCallMessagePartProps, 'args' | 'addResult'>

/** Whether an open call asks a question. */
export const asksQuestion = ({ args, status, approval }: ToolCallMessagePartProps): boolean =>
  status.type === 'requires-action' && !approval && (args.questions !== undefined || args.schema !== undefined)

export const QuestionForm = ({ args, addResult }: QuestionFormProps) => {
  const { connection } = useSession()
  const request = args as unknown as QuestionRequest
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    addResult(readAnswer(request, new FormData(event.currentTarget)))
  }
  return (
    <form className="approval" onSubmit={submit}>
      {answerFields(request).map((field) => (
        <Field key={field.name} field={field} />
      ))}
      <fieldset className="buttons" disabled={connection.phase !== 'open'}>
        <button type="submit" className="button primary">
          Answer
        </button>
        <button type="button" className="button" onClick={() => addResult({ declined: true })}>
          Decline
        </button>
      </fieldset>
    </form>
  )
}

/** Labels are shown with their hidden characters, and sent as they are. */
const Field = ({ field: { name, type, label, options, allowsText } }: { field: AnswerInput }) => (
  <fieldset className="choices">
    <legend>{exactText(label)}</legend>
    {options?.map((option) => (
      <label key={option.value}>
        <input type={type === 'choices' ? 'checkbox' : 'radio'} name={name} value={option.value} />
        {exactText(option.label)} {option.description && <small>{exactText(option.description)}</small>}
      </label>
    ))}
    {type === 'boolean' && <input type="checkbox" name={name} aria-label={exactText(label)} />}
    {(allowsText || (!options && type !== 'boolean')) && (
      <input name={name} aria-label={exactText(label)} placeholder={allowsText ? 'Something else' : ''} />
    )}
  </fieldset>
)
