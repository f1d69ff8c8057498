// A diff of two texts by line. Unchanged runs are folded unless the text waits for an approval, and very long ones begin with a part.

import { countText, plural } from 'bridle/words'
import { type ReactNode, useContext, useMemo, useState } from 'react'
import { Icon } from '../icon.tsx'
import { LongBox } from '../reading/long-box.tsx'
import { ReadingContext } from '../reading/reading.ts'
import { rowRuns } from './blank-rows.ts'
import { DiffRow } from './diff-row.tsx'
import { type DiffBlock, foldRows } from './folded-rows.ts'
import { compareLines } from './line-rows.ts'
import './diff.css'

/** Lines on the page at first: more make it slow, and the rest is one click away. */
const SHOWN_LINES = 400

interface LineDiffProps {
  readonly before: string
  readonly after: string
  /** The name of the thing that changes: a path, a key. */
  readonly label: ReactNode
  /** Added lines are the person's own. */
  readonly look?: 'yours'
  readonly note?: string
}

export const LineDiff = ({ before, after, label, look, note }: LineDiffProps) => {
  const { rows, added, removed, isCoarse } = useMemo(() => compareLines(before, after), [before, after])
  // A person approves every line of the call: a fold would hide some. What they typed themselves may be folded.
  const isToRead = useContext(ReadingContext) !== null && look !== 'yours'
  const blocks = useMemo<DiffBlock[]>(
    () => (isToRead ? [{ type: 'rows', from: 0, rows }] : foldRows(rows)),
    [rows, isToRead],
  )
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? blocks : firstRows(blocks, opened)
  const missing = rows.length - shown.reduce((sum, block) => sum + block.rows.length, 0)
  return (
    <div className="diff">
      <div className="f">
        <Icon name="file-diff" size={14} />
        <span className="diff-name exact">{label}</span>
        <span className="right nowrap num">
          <span className="ok">+{countText(added)}</span> <span className="danger">−{countText(removed)}</span>
        </span>
      </div>
      {isCoarse && (
        <p className="gap">The two texts have little in common: all of the old one, then all of the new one.</p>
      )}
      {note !== undefined && <p className="gap">{note}</p>}
      {rows.length === 0 && <p className="gap">Both are empty.</p>}
      <LongBox label="Changed lines" className="diff-lines" text={`${before}\n${after}`} isCut={missing > 0}>
        {shown.map((block) =>
          block.type === 'fold' && !opened.has(block.from) ? (
            <button
              key={block.from}
              type="button"
              className="gap"
              onClick={() => setOpened(new Set([...opened, block.from]))}
            >
              Show {plural(block.rows.length, 'unchanged line')}
            </button>
          ) : (
            rowRuns(block.rows).map((rows) => (
              <DiffRow key={`${rows[0].kind} ${rows[0].line}`} rows={rows} look={look} />
            ))
          ),
        )}
      </LongBox>
      {missing > 0 && (
        <button type="button" className="gap" onClick={() => setWhole(true)}>
          Show {plural(missing, 'more line')}
        </button>
      )}
    </div>
  )
}

/** The beginning of a long diff. Folded lines take one row. */
const firstRows = (blocks: readonly DiffBlock[], opened: ReadonlySet<number>): DiffBlock[] => {
  const shown: DiffBlock[] = []
  let left = SHOWN_LINES
  for (const block of blocks) {
    if (left <= 0) break
    const isFolded = block.type === 'fold' && !opened.has(block.from)
    shown.push(isFolded ? block : { ...block, rows: block.rows.slice(0, left) })
    left -= isFolded ? 1 : block.rows.length
  }
  return shown
}
