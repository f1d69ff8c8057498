import { useRef } from 'react'
import { Exact } from '../ui/exact.tsx'
import { exactText } from '../ui/exact-text.ts'
import { EndMark } from '../ui/reading/end-mark.tsx'
import type { ArgumentField } from './argument-fields.ts'

/** Characters that the editor takes: a larger text makes every key slow. The server takes larger arguments from other clients. */
const EDITOR_CHARS_MAX = 400_000
/** Lines of a field of the editor: more of them scroll, or the live diff below would be out of sight. */
const EDITOR_ROWS_MAX = 24

interface ArgumentInputProps {
  readonly name: string
  readonly kind: ArgumentField['kind']
  readonly text: string
  /** The element that says what is wrong here; null = nothing is. */
  readonly problemId: string | null
  readonly isDisabled: boolean
  readonly onChange: (text: string) => void
}

export const ArgumentInput = ({ name, kind, text, problemId, isDisabled, onChange }: ArgumentInputProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <label className={`editor${problemId === null ? '' : ' bad'}`}>
      <span className="f">
        <span className="exact">
          <Exact text={name} />
        </span>
        {kind === 'json' && <span className="right t3">JSON</span>}
      </span>
      <textarea
        ref={field}
        aria-label={exactText(name)}
        aria-invalid={problemId !== null}
        {...(problemId !== null && { 'aria-describedby': problemId })}
        spellCheck={false}
        autoComplete="off"
        disabled={isDisabled}
        maxLength={EDITOR_CHARS_MAX}
        rows={Math.min(EDITOR_ROWS_MAX, text.split('\n').length)}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <EndMark of={`Edit ${name}`} field={field} />
    </label>
  )
}
