import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { linesText } from '../blank-runs.ts'
import { Blanks, Exact } from '../exact.tsx'
import { EndMark } from '../reading/end-mark.tsx'
import type { RowRun } from './blank-rows.ts'
import { RowFrame } from './row-frame.tsx'

/** Characters of one line at first: minified files are a single line of megabytes. */
const SHOWN_LINE_CHARS = 5_000

interface DiffRowProps {
  readonly rows: RowRun
  readonly look?: 'yours' | undefined
}

/** A line of a diff, or several blank ones. */
export const DiffRow = ({ rows, look }: DiffRowProps) => {
  const [isWhole, setWhole] = useState(false)
  const [row] = rows
  const { text, isUnended } = row
  if (rows.length > 1)
    return (
      <RowFrame row={row} look={look}>
        <Blanks text={`⟨${linesText(rows.map((blank) => blank.text))}⟩`} />
      </RowFrame>
    )
  const isCut = !isWhole && text.length > SHOWN_LINE_CHARS
  return (
    <RowFrame row={row} look={look}>
      <Exact text={isCut ? text.slice(0, SHOWN_LINE_CHARS) : text} />
      {isUnended && <i className="t3"> no line end</i>}
      {isCut && (
        <>
          <button type="button" className="btn ghost copy" onClick={() => setWhole(true)}>
            Show all {bytesText(text.length)} of this line
          </button>
          <EndMark of={text} isCut />
        </>
      )}
    </RowFrame>
  )
}
