// All arguments of a call, as a person reads them, and as JSON behind a toggle.

import { plural } from 'bridle/words'
import { useMemo, useState } from 'react'
import { type ArgumentPart, argumentParts } from '../ui/arguments/argument-parts.ts'
import { textPieces } from '../ui/blank-runs.ts'
import { LineDiff } from '../ui/diff/line-diff.tsx'
import { Exact } from '../ui/exact.tsx'
import { exactJson, hasRightToLeft, hiddenCount } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { EndMark } from '../ui/reading/end-mark.tsx'
import type { JsonRecord } from './card-approval.ts'
import { ExactBlock } from './exact-block.tsx'
import { PlanView } from './plan-view.tsx'

export const ArgumentsView = ({ args }: { readonly args: JsonRecord }) => {
  const [isJson, setJson] = useState(false)
  const parts = useMemo(() => argumentParts(args), [args])
  return (
    <section className="args col" aria-label="Arguments">
      <div className="row small">
        <span className="t3">{parts.length === 0 ? 'No arguments' : 'Arguments'}</span>
        {parts.length === 0 && <EndMark of="" />}
        {parts.length > 0 && (
          <button
            type="button"
            className="btn ghost copy right"
            aria-pressed={isJson}
            onClick={() => setJson((was) => !was)}
          >
            JSON
          </button>
        )}
      </div>
      <HiddenNote args={args} />
      {isJson ? (
        <ExactBlock text={exactJson(args)} label="Arguments as JSON" />
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: two edits of one file may be alike, and their order never changes
        parts.map((part, index) => <PartView key={`${index}`} part={part} />)
      )}
    </section>
  )
}

const PartView = ({ part }: { readonly part: ArgumentPart }) => {
  switch (part.type) {
    case 'command':
      return <ExactBlock text={part.text} label="Command" look="command" />
    case 'edit':
      return <LineDiff before={part.before} after={part.after} label={<Exact text={part.path ?? 'text'} />} />
    case 'file':
      return (
        <LineDiff
          before=""
          after={part.content}
          label={<Exact text={part.path} />}
          note="The new contents of the whole file."
        />
      )
    case 'text':
      return part.key === 'plan' ? <PlanView text={part.text} /> : <ValueView name={part.key} value={part.text} />
    case 'json':
      return <ValueView name={part.key} value={part.value} />
  }
}

const ValueView = ({ name, value }: { readonly name: string; readonly value: unknown }) => {
  const text = typeof value === 'string' ? value : exactJson(value)
  // Spaces at the ends of a text would not be seen without quotes.
  const isShort = text.length <= 120 && !text.includes('\n')
  return (
    <div className={isShort ? 'arg row' : 'arg col'}>
      <code className="t2 exact">
        <Exact text={name} />
      </code>
      {isShort ? (
        <code className="exact">
          <Exact text={typeof value === 'string' ? `"${text}"` : text} />
          <EndMark of={`${name}\n${text}`} />
        </code>
      ) : (
        <ExactBlock text={text} label={name} />
      )}
    </div>
  )
}

const HiddenNote = ({ args }: { readonly args: JsonRecord }) => {
  const { hidden, isMixed, isCounted } = useMemo(() => {
    const texts = textsIn(args)
    return {
      hidden: texts.reduce((sum, text) => sum + hiddenCount(text), 0),
      isMixed: texts.some(hasRightToLeft),
      isCounted: texts.some((text) => textPieces(text).some(({ type }) => type === 'blank')),
    }
  }, [args])
  if (hidden === 0 && !isMixed && !isCounted) return null
  return (
    <p className="small warn row hidden-note">
      <Icon name="triangle-alert" size={14} />
      <span>
        {hidden > 0 &&
          `${plural(hidden, 'character')} in it would not be seen, or would look like others: each is shown by its number, as ⟨U+202E⟩. `}
        {isCounted && 'Long runs of blanks are shown as a count, as ⟨79 empty lines⟩. '}
        {isMixed && 'Letters that run from right to left are shown in the order in which they are sent.'}
      </span>
    </p>
  )
}

/** Every text of a value, names of keys included. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
}
