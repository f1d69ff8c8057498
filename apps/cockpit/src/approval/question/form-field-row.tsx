// A field of a form: its label, an input for its kind of value, and what is wrong with it.
import type { FormField } from 'bridle/client'
import { useId } from 'react'
import { Exact } from '../../ui/exact.tsx'
import { exactText } from '../../ui/exact-text.ts'
import { EndMark } from '../../ui/reading/end-mark.tsx'
import { ArgumentInput } from '../argument-input.tsx'
import type { FieldDraft } from './form-draft.ts'
import { OptionRow } from './option-row.tsx'

/** Characters of a label in a drop-down list, which cuts longer ones: such options are rows. */
const SELECT_CHARS = 40

interface FormFieldRowProps {
  readonly field: FormField
  readonly draft: FieldDraft | undefined
  readonly problem: string | null
  readonly isDisabled: boolean
  readonly onChange: (draft: FieldDraft | undefined) => void
}

export const FormFieldRow = (props: FormFieldRowProps) => {
  const { field, problem } = props
  const { label, description, isRequired, type } = field
  const id = useId()
  const isBox = type === 'boolean'
  const isWide = hasRows(field) || type === 'json'
  const problemId = `${id}-problem`
  const name = (
    <span className="exact">
      <Exact text={label} />
      {!isRequired && !isBox && <span className="t3"> optional</span>}
    </span>
  )
  const marks: InputMarks = {
    id,
    'aria-invalid': problem !== null,
    ...(problem !== null && { 'aria-describedby': problemId }),
  }
  return (
    <div className={`question-field${isWide ? ' wide' : ''}${isBox ? ' tick' : ''}`}>
      {!isBox &&
        (isWide ? (
          <span className="small t2 medium" id={`${id}-name`}>
            {name}
          </span>
        ) : (
          <label className="small t2 medium" htmlFor={id}>
            {name}
          </label>
        ))}
      <FieldInput {...props} marks={marks} />
      {isBox && <label htmlFor={id}>{name}</label>}
      {description !== undefined && (
        <span className="small t3 exact">
          <Exact text={description} />
        </span>
      )}
      <EndMark of={`${field.name}\n${label}\n${description ?? ''}`} />
      {problem !== null && (
        <span className="small danger exact" id={problemId} role="alert">
          {exactText(problem)}
        </span>
      )}
    </div>
  )
}

interface InputMarks {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby'?: string
}

/** Options that are rows, since the answers are several or a list would cut them. */
const hasRows = ({ type, options = [] }: FormField): boolean =>
  type === 'choices' || (type === 'choice' && options.some(({ label }) => label.length > SELECT_CHARS))

const FieldInput = ({
  field,
  draft,
  problem,
  isDisabled,
  onChange,
  marks,
}: FormFieldRowProps & { readonly marks: InputMarks }) => {
  const { type, options = [], label } = field
  const text = typeof draft === 'string' ? draft : ''
  const chosen: readonly unknown[] = Array.isArray(draft) ? draft : [draft]
  if (type === 'boolean')
    return (
      <input
        {...marks}
        type="checkbox"
        checked={draft === true}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
    )
  if (hasRows(field)) {
    const select = (value: string): void => {
      if (type === 'choice') return onChange(value)
      const isOn = chosen.includes(value)
      onChange(options.map((each) => each.value).filter((each) => (each === value ? !isOn : chosen.includes(each))))
    }
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw the name of the group in its border
      <div className="col question-rows" role="group" aria-labelledby={`${marks.id}-name`}>
        {options.map((option) => (
          <OptionRow
            key={option.value}
            name={marks.id}
            label={option.label}
            isMany={type === 'choices'}
            isChosen={chosen.includes(option.value)}
            isDisabled={isDisabled}
            onSelect={() => select(option.value)}
          />
        ))}
      </div>
    )
  }
  if (type === 'choice')
    return (
      <select
        {...marks}
        className="field"
        disabled={isDisabled}
        value={options.findIndex(({ value }) => value === draft)}
        onChange={({ target }) => onChange(options[Number(target.value)]?.value)}
      >
        <option value={-1}>{field.isRequired ? 'Choose' : 'none'}</option>
        {options.map((option, at) => (
          <option key={option.value} value={at}>
            {exactText(option.label)}
          </option>
        ))}
      </select>
    )
  if (type === 'json')
    return (
      <ArgumentInput
        name={label}
        kind="json"
        text={text}
        problemId={problem === null ? null : (marks['aria-describedby'] ?? null)}
        isDisabled={isDisabled}
        onChange={onChange}
      />
    )
  const input = { ...marks, disabled: isDisabled, value: text }
  // A text that is allowed to be long has room for it.
  if (type === 'text' && field.format === undefined && (text.includes('\n') || (field.most ?? 0) > LONG_CHARS))
    return <textarea {...input} className="field area" rows={3} onChange={({ target }) => onChange(target.value)} />
  return (
    <input
      {...input}
      className="field"
      type={inputTypes[field.format ?? ''] ?? 'text'}
      step={field.format === 'date-time' ? 1 : undefined}
      inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : undefined}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** Characters of a text that fits into one line. */
const LONG_CHARS = 200

const inputTypes: { readonly [format: string]: string } = {
  date: 'date',
  'date-time': 'datetime-local',
  email: 'email',
  uri: 'url',
}
