// Output of a tool: its beginning, more of it by steps, and never so much that the page stands still.
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { bytesText } from '../../../ui/numbers.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { OUTPUT_CHARS, OUTPUT_MAX, OUTPUT_STEP } from '../limits.ts'

export const OutputText = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [shown, setShown] = useState(OUTPUT_CHARS)
  const isCut = text.length > shown
  return (
    <div className="code-box">
      <div className="code-h row small t3">
        <span className="grow trunc">
          {label}
          {text.length > OUTPUT_CHARS && `, ${bytesText(text.length)}`}
        </span>
        <CopyButton text={text} />
      </div>
      <pre className="code">{visibleText(isCut ? text.slice(0, shown) : text)}</pre>
      {isCut && shown < OUTPUT_MAX && (
        <Button look="ghost" onClick={() => setShown(Math.min(OUTPUT_MAX, shown + OUTPUT_STEP))}>
          Show more, {bytesText(text.length - shown)} left
        </Button>
      )}
      {isCut && shown >= OUTPUT_MAX && (
        <p className="small t3 code-end">{bytesText(text.length - shown)} more: copy it to read all.</p>
      )}
    </div>
  )
}
