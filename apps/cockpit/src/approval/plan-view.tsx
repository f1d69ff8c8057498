// The plan that an agent wants to carry out: as markdown where that draws all of it, and as it is.
import { useState } from 'react'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { LongBox } from '../ui/reading/long-box.tsx'
import { ExactBlock } from './exact-block.tsx'
import { isPlainMarkdown } from './plain-markdown.ts'

/** Characters of a plan that are drawn as markdown: a person reads no more of one before they approve it. */
const PLAN_CHARS = 20_000

export const PlanView = ({ text }: { readonly text: string }) => {
  const canFormat = text.length <= PLAN_CHARS && isPlainMarkdown(text)
  const [isFormatted, setFormatted] = useState(canFormat)
  return (
    <div className="arg col">
      <div className="row small">
        <code className="t2">plan</code>
        {canFormat && (
          <button
            type="button"
            className="btn ghost copy right"
            aria-pressed={!isFormatted}
            onClick={() => setFormatted(!isFormatted)}
          >
            Source
          </button>
        )}
      </div>
      {isFormatted ? (
        <LongBox label="Plan" className="plan" text={text}>
          <Markdown text={text} />
        </LongBox>
      ) : (
        <ExactBlock text={text} label="plan" />
      )}
    </div>
  )
}
