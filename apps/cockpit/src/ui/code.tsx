// Code, output and JSON: as text, wrapped, with a copy button, and a beginning only where it is very long.
import { useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { bytesText } from './numbers.ts'
import { visibleText } from './plain-text.ts'

/** More than this at once makes a page slow; the rest is one click away. */
const SHOWN_CHARS = 20_000

export const Code = ({
  text,
  language,
  label,
}: {
  readonly text: string
  readonly language?: string
  readonly label?: string
}) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARS
  return (
    <div className="code-box">
      <div className="code-h row small t3">
        <span className="grow trunc">{label ?? language ?? ''}</span>
        <CopyButton text={text} />
      </div>
      <pre className="code">{visibleText(isCut ? text.slice(0, SHOWN_CHARS) : text)}</pre>
      {isCut && (
        <Button look="ghost" onClick={() => setWhole(true)}>
          Show all {bytesText(text.length)}
        </Button>
      )}
    </div>
  )
}

export const JsonCode = ({ value, label }: { readonly value: unknown; readonly label?: string }) => (
  <Code text={jsonText(value)} language="json" {...(label !== undefined && { label })} />
)

export const jsonText = (value: unknown): string => (value === undefined ? '' : (JSON.stringify(value, null, 2) ?? ''))
