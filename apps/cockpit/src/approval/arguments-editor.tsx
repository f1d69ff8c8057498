// Other arguments than those asked for: a field for each key or all of them as JSON, the place of a mistake, and a live diff against what was
// asked.

import { plural } from 'bridle/words'
import { useDeferredValue, useEffect, useId, useMemo, useRef } from 'react'
import { compareKeys } from '../ui/diff/key-changes.ts'
import { KeyDiff } from '../ui/diff/key-diff.tsx'
import { exactText } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { type ArgumentsDraft, fieldsDraft, jsonDraft, type ParsedArguments, withField } from './argument-fields.ts'
import { ArgumentInput } from './argument-input.tsx'
import type { JsonRecord } from './card-approval.ts'

interface ArgumentsEditorProps {
  readonly args: JsonRecord
  readonly draft: ArgumentsDraft
  readonly parsed: ParsedArguments
  readonly isDisabled: boolean
  readonly onChange: (draft: ArgumentsDraft) => void
}

export const ArgumentsEditor = ({ args, draft, parsed, isDisabled, onChange }: ArgumentsEditorProps) => {
  const editor = useRef<HTMLElement>(null)
  const problemId = useId()
  const { look } = draft
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other look has other fields
  useEffect(() => editor.current?.querySelector('textarea')?.focus(), [look])
  // Typing stays quick while the comparison of a long text follows.
  const edited = useDeferredValue(parsed.args)
  const changes = useMemo(() => (edited ? compareKeys(args, edited).length : 0), [args, edited])
  const { problem } = parsed
  const turn = (): void => {
    if (parsed.args) onChange(look === 'json' ? fieldsDraft(parsed.args) : jsonDraft(parsed.args))
  }
  return (
    <section ref={editor} className="args col" aria-label="Edit the arguments">
      <div className="row small">
        <span className="t3">Arguments</span>
        {changes > 0 && <span className="tag">{plural(changes, 'change')}</span>}
        <span className="row danger" id={problemId} aria-live="polite">
          {problem && (
            <>
              <Icon name="circle-alert" size={14} />
              {problem.key !== null && `${exactText(problem.key)} is `}
              {problem.key === null ? 'Not' : 'not'} JSON: line {problem.line}, column {problem.column}.{' '}
              {problem.message}
            </>
          )}
        </span>
        <button
          type="button"
          className="btn ghost copy right"
          aria-pressed={look === 'json'}
          disabled={isDisabled || problem !== null}
          onClick={turn}
        >
          JSON
        </button>
      </div>
      {draft.look === 'json' ? (
        <ArgumentInput
          name="Your arguments"
          kind="json"
          text={draft.text}
          problemId={problem ? problemId : null}
          isDisabled={isDisabled}
          onChange={(text) => onChange({ look: 'json', text })}
        />
      ) : (
        draft.fields.map(({ key, kind, text }) => (
          <ArgumentInput
            key={key}
            name={key}
            kind={kind}
            text={text}
            problemId={problem?.key === key ? problemId : null}
            isDisabled={isDisabled}
            onChange={(next) => onChange(withField(draft, key, next))}
          />
        ))
      )}
      {edited && (
        <section className="col live-diff" aria-label="Your changes">
          <KeyDiff before={args} after={edited} look="yours" />
        </section>
      )}
    </section>
  )
}
