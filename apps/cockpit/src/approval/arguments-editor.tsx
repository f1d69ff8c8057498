// Other arguments than those asked for: JSON in a text field, the place of a mistake, and a live diff against what was asked.
import { useDeferredValue, useEffect, useId, useMemo, useRef } from 'react'
import { compareKeys } from '../ui/diff/key-changes.ts'
import { KeyDiff } from '../ui/diff/key-diff.tsx'
import { exactJson } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { plural } from '../ui/numbers.ts'
import { ScrollBox } from '../ui/scroll-box.tsx'
import type { JsonRecord } from './card-approval.ts'
import { EDITOR_CHARS_MAX } from './limits.ts'
import type { ParsedArguments } from './parsed-arguments.ts'

interface ArgumentsEditorProps {
  readonly args: JsonRecord
  readonly text: string
  readonly parsed: ParsedArguments
  readonly isDisabled: boolean
  readonly onChange: (text: string) => void
}

export const ArgumentsEditor = ({ args, text, parsed, isDisabled, onChange }: ArgumentsEditorProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  const stateId = useId()
  useEffect(() => field.current?.focus(), [])
  // Typing stays quick while the comparison of a long text follows.
  const edited = useDeferredValue(parsed.args)
  const changes = useMemo(() => (edited ? compareKeys(args, edited).length : 0), [args, edited])
  return (
    <section className="args col" aria-label="Edit the arguments">
      <div className="row small">
        <span className="t3">Arguments</span>
        {changes > 0 && <span className="tag">{plural(changes, 'change')}</span>}
        <span className="right row" id={stateId} aria-live="polite">
          {parsed.problem ? (
            <span className="danger row">
              <Icon name="circle-alert" size={14} />
              Not JSON: line {parsed.problem.line}, column {parsed.problem.column}. {parsed.problem.message}
            </span>
          ) : (
            <span className="ok row">
              <Icon name="circle-check" size={14} />
              Valid JSON
            </span>
          )}
        </span>
      </div>
      <div className="two">
        <div className="ro">
          <div className="f">Asked</div>
          <ScrollBox label="Arguments as asked" className="exact">
            {exactJson(args)}
          </ScrollBox>
        </div>
        <div className={`editor${parsed.problem ? ' bad' : ''}`}>
          <div className="f">Yours</div>
          <textarea
            ref={field}
            aria-label="Your arguments"
            aria-invalid={parsed.problem !== null}
            aria-describedby={stateId}
            spellCheck={false}
            autoComplete="off"
            disabled={isDisabled}
            maxLength={EDITOR_CHARS_MAX}
            rows={Math.min(24, text.split('\n').length + 1)}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      </div>
      {edited && (
        <section className="col live-diff" aria-label="Your changes">
          <KeyDiff before={args} after={edited} look="yours" />
        </section>
      )}
    </section>
  )
}
