// Code, output and JSON: as text, wrapped, with a copy button. A long text begins with a part, more comes by steps, and never so much
// that the page stands still.

import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { visibleText } from './plain-text.ts'

/** The characters of a text that are shown at first, and with each further step. */
const CODE_CHARS = 20_000
const CODE_STEP = 100_000
/** More text than this stays out of the page: a browser takes seconds to lay it out. Copying gives all of it. */
const CODE_MAX = 500_000

interface CodeProps {
  readonly text: string
  /** The name of the text, or its language. */
  readonly label?: string
}

export const Code = ({ text, label = '' }: CodeProps) => {
  const [shown, setShown] = useState(CODE_CHARS)
  const isCut = text.length > shown
  return (
    <div className="code-box">
      <div className="code-h row small t3">
        <span className="grow trunc">
          {visibleText(label)}
          {text.length > CODE_CHARS && `, ${bytesText(text.length)}`}
        </span>
        <CopyButton text={text} />
      </div>
      <pre className="code">{visibleText(isCut ? text.slice(0, shown) : text)}</pre>
      {isCut && shown < CODE_MAX && (
        <Button look="ghost" onClick={() => setShown(Math.min(CODE_MAX, shown + CODE_STEP))}>
          Show more, {bytesText(text.length - shown)} left
        </Button>
      )}
      {isCut && shown >= CODE_MAX && (
        <p className="small t3 code-end">{bytesText(text.length - shown)} more: copy it to read all.</p>
      )}
    </div>
  )
}

export const JsonCode = ({ value, label = 'json' }: { readonly value: unknown; readonly label?: string }) => (
  <Code text={jsonText(value)} label={label} />
)

export const jsonText = (value: unknown): string => (value === undefined ? '' : (JSON.stringify(value, null, 2) ?? ''))
