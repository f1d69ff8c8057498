// A question with its options, or with a field for any text.
import type { Question } from 'bridle/client'
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { Exact } from '../../ui/exact.tsx'
import { exactText } from '../../ui/exact-text.ts'
import { AskedText } from './asked-text.tsx'
import { OptionRow } from './option-row.tsx'
import type { QuestionDraft } from './question-draft.ts'
import type { QuestionChoice } from './use-question-choice.ts'

interface QuestionPartProps {
  readonly question: Question
  readonly draft: QuestionDraft
  readonly byDefault?: unknown
  readonly problem: string | null
  /** Options that have a key now. */
  readonly keyCount: number
  readonly isDisabled: boolean
  /** The card has no other question. */
  readonly isAlone: boolean
  /** Absent in the past, which takes no answers. */
  readonly onSelect?: (choice: QuestionChoice) => void
  readonly onText?: (text: string) => void
  readonly onClear?: () => void
  readonly onFocus?: () => void
}

export const QuestionPart = (props: QuestionPartProps) => {
  const { question, draft, byDefault, problem, keyCount, isDisabled, isAlone, onSelect, onText, onClear, onFocus } =
    props
  const { header, options = [], multi_select: isMany = false, allow_free_text: isOpen = false } = question
  const id = useId()
  const defaults: readonly unknown[] = Array.isArray(byDefault) ? byDefault : [byDefault]
  const keyHint = (at: number) => (at < keyCount ? String(at + 1) : undefined)
  const hasField = options.length === 0 || draft.isOwn
  return (
    <fieldset
      className="question-part"
      aria-describedby={problem === null ? undefined : `${id}-problem`}
      {...(onFocus && { onFocus })}
    >
      <legend className="vh">{exactText(question.question)}</legend>
      {header !== undefined && (
        <span className="small t2 medium exact">
          <Exact text={header} />
        </span>
      )}
      <AskedText text={question.question} />
      {isMany && options.length > 0 && <span className="small t3">Any number of answers</span>}
      {options.map(({ label, description }, at) => (
        <OptionRow
          key={label}
          name={id}
          label={label}
          description={description}
          isMany={isMany}
          isChosen={draft.chosen?.includes(label) ?? false}
          isDefault={defaults.includes(label)}
          keyHint={keyHint(at)}
          isDisabled={isDisabled}
          onSelect={() => onSelect?.(label)}
        />
      ))}
      {isOpen && options.length > 0 && (
        <OptionRow
          name={id}
          label="Something else"
          description="Type an answer"
          isMany={isMany}
          isChosen={draft.isOwn}
          keyHint={keyHint(options.length)}
          isDisabled={isDisabled}
          onSelect={() => onSelect?.(null)}
        />
      )}
      {hasField && (
        <textarea
          className={`field area${problem === null ? '' : ' bad'}`}
          aria-label={options.length === 0 ? exactText(question.question) : 'Your answer'}
          aria-invalid={problem !== null}
          placeholder={isMany && options.length === 0 ? 'One answer in each line' : 'Your answer'}
          rows={2}
          disabled={isDisabled}
          value={draft.text}
          onChange={({ target }) => onText?.(target.value)}
        />
      )}
      {isMany && options.length > 0 && !isAlone && (
        <Button look="ghost" isDisabled={isDisabled} {...(onClear && { onClick: onClear })}>
          Select none
        </Button>
      )}
      {problem !== null && (
        <p className="small danger" id={`${id}-problem`} role="alert">
          {exactText(problem)}
        </p>
      )}
    </fieldset>
  )
}
