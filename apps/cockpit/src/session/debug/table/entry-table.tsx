// The entries, newest first: only the rows on the screen are in the page.
import { type KeyboardEvent, memo, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { visibleText } from '../../../ui/plain-text.ts'
import { factsOf } from '../log/entry-facts.ts'
import { type EntryTiers, tierOf } from '../log/entry-filter.ts'
import type { EntryLog } from '../log/entry-log.ts'
import { mergedText } from '../log/merged-text.ts'
import type { LogRow, RowList } from '../log/row-list.ts'
import { rowWords } from '../log/row-words.ts'
import { milliText } from '../milli-text.ts'
import { ROW_PX, rowWindow, scrollTopFor } from './row-window.ts'

interface EntryTableProps {
  readonly log: EntryLog
  readonly rows: RowList
  /** Counts up when the rows change. */
  readonly version: number
  readonly tiers: EntryTiers
  /** The number of the selected entry. */
  readonly selected: number | null
  readonly onSelect: (seq: number) => void
}

export const EntryTable = ({ log, rows, version, tiers, selected, onSelect }: EntryTableProps) => {
  const box = useRef<HTMLDivElement>(null)
  const { window, look } = useRowWindow(box, rows, version)
  const place = selected === null ? -1 : rows.placeOf(selected)
  useKeepShown(box, place, selected)
  const grid = useId()
  const move = (to: number): void => {
    const row = rows.at(Math.min(rows.count - 1, Math.max(0, to)))
    if (row) onSelect(row.seq)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const pageRows = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / ROW_PX) - 1)
    const to = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: place + pageRows,
      PageUp: place - pageRows,
      Home: 0,
      End: rows.count - 1,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    move(to)
  }
  const slots = Math.max(1, window.to - window.from)
  const shown: LogRow[] = []
  for (let at = window.from; at < window.to; at += 1) {
    const row = rows.at(at)
    if (row) shown.push(row)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: of a table's rows only those on the screen are there
    <div
      ref={box}
      className="log-table"
      role="grid"
      aria-label="Events of the log, newest first"
      aria-rowcount={rows.count + 1}
      aria-activedescendant={place >= window.from && place < window.to ? `${grid}-${rows.at(place)?.seq}` : undefined}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
      <div className="log-row log-head" role="row" aria-rowindex={1}>
        {['Event', 'Time', 'Type', 'Tier', 'Call', 'Payload'].map((title) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
          <span key={title} role="columnheader">
            {title}
          </span>
        ))}
      </div>
      <div className="log-rows" role="presentation" style={{ height: rows.count * ROW_PX }}>
        <div role="presentation" style={{ transform: `translateY(${window.from * ROW_PX}px)` }}>
          {shown.map(({ seq, first }, at) => (
            <EntryRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a row that leaves the screen lends its elements to one that comes
              key={(window.from + at) % slots}
              id={`${grid}-${seq}`}
              log={log}
              seq={seq}
              first={first}
              place={window.from + at}
              tier={tierOf(tiers, log.entry(seq)?.type ?? '')}
              isSelected={window.from + at === place}
              onSelect={onSelect}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface EntryRowProps {
  readonly id: string
  readonly log: EntryLog
  readonly seq: number
  readonly first: number
  readonly place: number
  readonly tier: string
  readonly isSelected: boolean
  readonly onSelect: (seq: number) => void
}

const EntryRow = memo(({ id, log, seq, first, place, tier, isSelected, onSelect }: EntryRowProps) => {
  const entry = log.entry(seq)
  if (!entry) return null
  const { calls } = factsOf(entry)
  const call = calls.length > 1 ? `${calls.length} calls` : (calls[0] ?? '')
  return (
    // biome-ignore lint/a11y/useSemanticElements: of a table's rows only those on the screen are there
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
    <div
      id={id}
      className={`log-row${isSelected ? ' on' : ''}`}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      data-seq={seq}
      onClick={() => onSelect(seq)}
    >
      <Cell look="mono t3">{first === seq ? seq : `${first}–${seq}`}</Cell>
      <Cell look="mono t3">{milliText(entry.at)}</Cell>
      <Cell look="mono log-type">{visibleText(entry.type)}</Cell>
      <Cell look="t3">{tier}</Cell>
      <Cell look="mono t3">{visibleText(call)}</Cell>
      <Cell look="">{rowWords(entry, first === seq ? null : mergedText(log, first, seq))}</Cell>
    </div>
  )
})

const Cell = ({ look, children }: { readonly look: string; readonly children: React.ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
  <span role="gridcell" className={`trunc ${look}`}>
    {children}
  </span>
)

/** The rows to render: they change only when another step of them comes onto the screen. */
const useRowWindow = (box: React.RefObject<HTMLDivElement | null>, rows: RowList, version: number) => {
  const { count } = rows
  /** The row at the upper edge, and how far it is scrolled out. */
  const anchor = useRef<{ rows: RowList; seq: number; offset: number } | null>(null)
  const [window, setWindow] = useState({ from: 0, to: 0 })
  const look = useCallback(() => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = box.current ?? {}
    const seq = rows.at(Math.floor(top / ROW_PX))?.seq
    anchor.current = top === 0 || seq === undefined ? null : { rows, seq, offset: top % ROW_PX }
    const next = rowWindow({ top, height, count })
    setWindow((before) => (before.from === next.from && before.to === next.to ? before : next))
  }, [box, rows, count])
  // News comes in above: somebody who reads further down keeps the row that was there. Other filters begin at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version may have news
  useLayoutEffect(() => {
    const element = box.current
    const held = anchor.current
    if (element && held) {
      const place = held.rows === rows ? rows.placeOf(held.seq) : 0
      const top = Math.max(0, place) * ROW_PX + (held.rows === rows ? held.offset : 0)
      if (element.scrollTop !== top) element.scrollTop = top
    }
    look()
  }, [look, version])
  useEffect(() => {
    const element = box.current
    if (!element) return
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [box, look])
  return { window, look }
}

/** An entry that a link or a key selects is scrolled to once, when its row is there. */
const useKeepShown = (box: React.RefObject<HTMLDivElement | null>, place: number, selected: number | null): void => {
  const shown = useRef<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element || place === -1 || shown.current === selected) return
    shown.current = selected
    // The head of the table covers its first row.
    const view = { top: element.scrollTop, height: element.clientHeight - ROW_PX }
    const top = scrollTopFor(place, view)
    if (top !== null) element.scrollTop = top
  }, [box, place, selected])
}
