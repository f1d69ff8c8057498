// A question of the agent: options, text, or the fields of a form.
import { type AnswerInput, answerFields, exactText, type OpenQuestion } from 'bridle/client'
import type { FormEvent } from 'react'

interface QuestionCardProps {
  question: OpenQuestion
  isOnline: boolean
  answer: (form: FormData) => void
  decline: () => void
}

export const QuestionCard = ({ question, isOnline, answer, decline }: QuestionCardProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    answer(new FormData(event.currentTarget))
  }
  return (
    <section aria-label="Question">
      <form className="question" onSubmit={submit}>
        {question.schema && <p>{exactText(question.reason)}</p>}
        {answerFields(question).map((field) => (
          <Field key={field.name} field={field} />
        ))}
        <button type="submit" disabled={!isOnline}>
          Answer
        </button>
        <button type="button" disabled={!isOnline} onClick={decline}>
          Decline
        </button>
      </form>
    </section>
  )
}

const Field = ({ field }: { field: AnswerInput }) => {
  const { name, type, label, description, options, allowsText, default: initial } = field
  const isChosen = (value: string) => initial === value || (Array.isArray(initial) && initial.includes(value))
  return (
    <fieldset>
      <legend>{exactText(label)}</legend>
      {description && <small>{exactText(description)}</small>}
      {options?.map((option) => (
        <label key={option.value}>
          <input
            type={type === 'choices' ? 'checkbox' : 'radio'}
            name={name}
            value={option.value}
            defaultChecked={isChosen(option.value)}
          />{' '}
          {exactText(option.label)} {option.description && <small>{exactText(option.description)}</small>}
        </label>
      ))}
      {allowsText && <input name={name} aria-label={exactText(label)} placeholder="Something else" />}
      {!options && <Input field={field} />}
    </fieldset>
  )
}

const Input = ({ field: { name, type, label, format = '', isRequired, default: initial } }: { field: AnswerInput }) => {
  const common = { name, 'aria-label': exactText(label) }
  const text = typeof initial === 'string' || typeof initial === 'number' ? initial : undefined
  if (type === 'boolean') return <input {...common} type="checkbox" defaultChecked={initial === true} />
  if (type === 'json') return <textarea {...common} defaultValue={JSON.stringify(initial, null, 2)} />
  if (type === 'text')
    return <input {...common} type={inputTypes[format] ?? 'text'} required={isRequired} defaultValue={text} />
  return (
    <input {...common} type="number" step={type === 'integer' ? 1 : 'any'} required={isRequired} defaultValue={text} />
  )
}

/** The browser helps with these. The server checks all of them. */
const inputTypes: Record<string, string> = { date: 'date', email: 'email', uri: 'url' }
