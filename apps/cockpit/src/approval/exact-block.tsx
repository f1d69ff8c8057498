// A text of an argument, character by character: hidden ones by their number, long runs of blanks as a count, and all of it one click away
// where it is long.

import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { textPieces } from '../ui/blank-runs.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Exact } from '../ui/exact.tsx'
import { exactText } from '../ui/exact-text.ts'
import { LongBox } from '../ui/reading/long-box.tsx'

/** Characters of one text on the page at first; all of it is one click away. */
const SHOWN_CHARS = 8_000

interface ExactBlockProps {
  readonly text: string
  readonly label: string
  readonly look?: 'command' | 'text'
}

export const ExactBlock = ({ text, label, look = 'text' }: ExactBlockProps) => {
  const [isWhole, setWhole] = useState(false)
  const [hasBlanks, setBlanks] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARS
  const shown = isCut ? text.slice(0, SHOWN_CHARS) : text
  const isCounted = textPieces(shown).some(({ type }) => type === 'blank')
  return (
    <div className={`exact-block ${look}`}>
      <LongBox label={label} className="code exact" text={text} isCut={isCut}>
        {look === 'command' && (
          <span className="prompt" aria-hidden="true">
            ${' '}
          </span>
        )}
        {hasBlanks ? exactText(shown) : <Exact text={shown} />}
      </LongBox>
      <CopyButton text={text} />
      {isCounted && (
        <button
          type="button"
          className="btn ghost show-all"
          aria-pressed={hasBlanks}
          onClick={() => setBlanks(!hasBlanks)}
        >
          Show every character
        </button>
      )}
      {isCut && (
        <button type="button" className="btn ghost show-all" onClick={() => setWhole(true)}>
          Show all {bytesText(text.length)}
        </button>
      )}
    </div>
  )
}
