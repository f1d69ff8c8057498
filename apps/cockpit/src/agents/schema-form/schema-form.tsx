import { visibleText } from '../../ui/plain-text.ts'
import type { FormField } from './form-field.ts'
import { type FormDrafts, type FormProblem, fieldId } from './form-value.ts'
import './schema-form.css'

interface SchemaFormProps {
  readonly fields: readonly FormField[]
  readonly drafts: FormDrafts
  readonly problems: readonly FormProblem[]
  readonly onChange: (id: string, draft: string | boolean) => void
}

/** The fields of a schema, each with its description, whether it is required, and what is wrong with it. */
export const SchemaForm = ({ fields, ...rest }: SchemaFormProps) => (
  <div className="schema-form">
    {fields.map((field) =>
      field.kind === 'group' ? (
        <fieldset key={fieldId(field)} className="schema-group">
          <legend className="small medium">
            <FieldName field={field} />
          </legend>
          {field.description !== '' && <p className="small t3">{visibleText(field.description)}</p>}
          <SchemaForm fields={field.fields} {...rest} />
        </fieldset>
      ) : (
        <Field key={fieldId(field)} field={field} {...rest} />
      ),
    )}
  </div>
)

const FieldName = ({ field }: { readonly field: FormField }) => (
  <>
    {visibleText(field.label)}
    {field.isRequired ? <span className="t3"> (required)</span> : ''}
  </>
)

interface FieldProps extends Omit<SchemaFormProps, 'fields'> {
  readonly field: Exclude<FormField, { readonly kind: 'group' }>
}

const Field = ({ field, drafts, problems, onChange }: FieldProps) => {
  const id = fieldId(field)
  const domId = `field-${id}`
  const problem = problems.find((each) => each.id === id)
  return (
    <div className="col">
      <label className="small t2" htmlFor={domId}>
        <FieldName field={field} />
      </label>
      <Control
        field={field}
        draft={drafts[id]}
        onChange={(draft) => onChange(id, draft)}
        marks={{
          id: domId,
          'aria-describedby': `${domId}-about`,
          'aria-invalid': problem !== undefined || undefined,
        }}
      />
      <span id={`${domId}-about`} className="small t3">
        {visibleText(field.description)}
        {field.kind === 'lines' && ' One value in each line.'}
        {field.kind === 'json' && ' As JSON.'}
        {problem && <span className="danger"> {problem.message}</span>}
      </span>
    </div>
  )
}

interface ControlProps {
  readonly field: FormField
  readonly draft: string | boolean | undefined
  readonly onChange: (draft: string | boolean) => void
  readonly marks: {
    readonly id: string
    readonly 'aria-describedby': string
    readonly 'aria-invalid': true | undefined
  }
}

/** By convention a prompt is as long as it needs to be. */
const isPrompt = ({ kind, path }: FormField): boolean => kind === 'text' && path.at(-1) === 'prompt'

const Control = ({ field, draft, onChange, marks }: ControlProps) => {
  const text = typeof draft === 'string' ? draft : ''
  if (field.kind === 'switch')
    return (
      <input
        {...marks}
        type="checkbox"
        className="check"
        checked={draft === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  if (field.kind === 'choice')
    return (
      <select {...marks} className="field" value={text} onChange={(event) => onChange(event.target.value)}>
        <option value="">{field.isRequired ? 'Choose' : 'none'}</option>
        {field.options.map((option, at) => (
          <option key={JSON.stringify(option)} value={at}>
            {typeof option === 'string' ? option : JSON.stringify(option)}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'lines' || field.kind === 'json' || isPrompt(field))
    return (
      <textarea
        {...marks}
        className={`field area${field.kind === 'json' ? ' mono' : ''}`}
        rows={3}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <input
      {...marks}
      className="field"
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
