// The fields of a form, or all of its values as JSON.
import { formFields } from 'bridle/client'
import { useId } from 'react'
import { exactText } from '../../ui/exact-text.ts'
import { ArgumentInput } from '../argument-input.tsx'
import type { JsonRecord } from '../card-approval.ts'
import { AskedText } from './asked-text.tsx'
import { type FormDraft, WHOLE_FORM, withField } from './form-draft.ts'
import { FormFieldRow } from './form-field-row.tsx'

interface FormQuestionProps {
  readonly schema: JsonRecord
  /** The sentence that says what the values are for. */
  readonly reason: string
  readonly draft: FormDraft
  readonly problems: ReadonlyMap<string, string>
  readonly isDisabled: boolean
  /** Absent in the past, which takes no answers. */
  readonly onChange?: (draft: FormDraft) => void
}

export const FormQuestion = ({ schema, reason, draft, problems, isDisabled, onChange }: FormQuestionProps) => {
  const problemId = useId()
  const problem = problems.get(WHOLE_FORM) ?? null
  return (
    <div className="question-part">
      {reason !== '' && <AskedText text={reason} />}
      {draft.json === null ? (
        <div className="question-fields">
          {formFields(schema).map((field) => (
            <FormFieldRow
              key={field.name}
              field={field}
              draft={draft.fields.get(field.name)}
              problem={problems.get(field.name) ?? null}
              isDisabled={isDisabled}
              onChange={(value) => onChange?.(withField(draft, field.name, value))}
            />
          ))}
        </div>
      ) : (
        <ArgumentInput
          name="Your values"
          kind="json"
          text={draft.json}
          problemId={problem === null ? null : problemId}
          isDisabled={isDisabled}
          onChange={(json) => onChange?.({ ...draft, json })}
        />
      )}
      {problem !== null && (
        <p className="small danger" id={problemId} role="alert">
          {exactText(problem)}
        </p>
      )}
    </div>
  )
}
