// A text of an argument, character by character: hidden ones by their number, and all of it one click away where it is long.
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { exactText } from '../ui/exact-text.ts'
import { bytesText } from '../ui/numbers.ts'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { SHOWN_CHARS } from './limits.ts'

interface ExactBlockProps {
  readonly text: string
  readonly label: string
  readonly look?: 'command' | 'text'
}

export const ExactBlock = ({ text, label, look = 'text' }: ExactBlockProps) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARS
  const shown = isCut ? text.slice(0, SHOWN_CHARS) : text
  return (
    <div className={`exact-block ${look}`}>
      <ScrollBox label={label} className="code exact">
        {look === 'command' && (
          <span className="prompt" aria-hidden="true">
            ${' '}
          </span>
        )}
        {exactText(shown)}
      </ScrollBox>
      <CopyButton text={text} />
      {isCut && (
        <button type="button" className="btn ghost show-all" onClick={() => setWhole(true)}>
          Show all {bytesText(text.length)}
        </button>
      )}
    </div>
  )
}
