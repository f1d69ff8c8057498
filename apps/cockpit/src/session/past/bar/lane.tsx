// The line of the scrubber: bars for how much happened, marks for what somebody looks for, and the thumb.
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useId, useMemo, useRef } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { markLooks } from '../log/event-mark.ts'
import type { LogOverview } from '../log/log-overview.ts'
import { usePast } from '../past-context.ts'
import { barHeights, eventAtPart, marksWithRoom, partOfEvent } from './event-bars.ts'

/** Events that Page Up and Page Down move by, as a part of the log. */
const PAGE_PART = 0.1
/** The room of a bar, in units of the drawing, which is stretched to the width of its line; bars stay as wide as they are. */
const BAR_STEP = 10
const BAR_HEIGHT = 22

export const Lane = () => {
  const { overview, log, head, seq, isPast, moveTo, leave, prepare, togglePlay } = usePast()
  const lane = useRef<HTMLDivElement>(null)
  const wanted = useRef<number | null>(null)
  const frame = useRef<number | null>(null)
  // A move behind the end of the page would write into the address of another one.
  useEffect(() => () => cancelAnimationFrame(frame.current ?? 0), [])
  const { first } = overview
  const range = { first, head }
  const part = isPast ? partOfEvent(range, seq) : 1
  const type = log?.history.entry(seq)?.type
  /** A pointer moves more often than the screen changes. */
  const follow = ({ clientX }: PointerEvent): void => {
    const { left = 0, width = 1 } = lane.current?.getBoundingClientRect() ?? {}
    wanted.current = eventAtPart(range, (clientX - left) / width)
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null
      if (wanted.current !== null) moveTo(wanted.current)
    })
  }
  const onKey = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.round((head - first + 1) * PAGE_PART))
    const act = {
      ArrowLeft: () => moveTo(seq - 1),
      ArrowDown: () => moveTo(seq - 1),
      ArrowRight: () => moveTo(seq + 1),
      ArrowUp: () => moveTo(seq + 1),
      PageDown: () => moveTo(seq - page),
      PageUp: () => moveTo(seq + page),
      Home: () => moveTo(first),
      End: leave,
      ' ': togglePlay,
    }[event.key]
    if (!act) return
    event.preventDefault()
    // A space that is held would play and pause.
    if (!event.repeat || event.key !== ' ') act()
  }
  return (
    <div
      ref={lane}
      className="lane"
      onPointerEnter={prepare}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        follow(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(event)
      }}
    >
      <Bars overview={overview} part={part} />
      <div className="rail">
        <i style={{ width: `${part * 100}%` }} />
      </div>
      <Marks overview={overview} />
      <span
        className="thumb"
        role="slider"
        tabIndex={0}
        aria-label="Event"
        aria-valuemin={first}
        aria-valuemax={head}
        aria-valuenow={seq}
        aria-valuetext={`Event ${seq} of ${head}${isPast ? (type === undefined ? '' : `, ${visibleText(type)}`) : ', live'}`}
        style={{ left: `${part * 100}%` }}
        onKeyDown={onKey}
        onFocus={prepare}
      />
      {isPast && type !== undefined && (
        <span className="tip" aria-hidden="true" style={{ left: `${part * 100}%`, translate: `-${part * 100}%` }}>
          {seq} {visibleText(type)}
        </span>
      )}
    </div>
  )
}

const Bars = memo(({ overview, part }: { readonly overview: LogOverview; readonly part: number }) => {
  const clip = useId()
  const heights = useMemo(() => barHeights(overview.weights), [overview])
  const width = heights.length * BAR_STEP
  const path = useMemo(
    () =>
      heights
        .map((height, at) => `M${(at + 0.5) * BAR_STEP} ${BAR_HEIGHT}V${(BAR_HEIGHT - height * BAR_HEIGHT).toFixed(1)}`)
        .join(''),
    [heights],
  )
  if (width === 0) return null
  return (
    <svg className="hist" viewBox={`0 0 ${width} ${BAR_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <clipPath id={clip}>
        <rect width={width * part} height={BAR_HEIGHT} />
      </clipPath>
      <path d={path} />
      <path d={path} className="p" clipPath={`url(#${clip})`} />
    </svg>
  )
})

const Marks = memo(({ overview }: { readonly overview: LogOverview }) =>
  marksWithRoom(overview, overview.marks).map(({ seq, kind }) => {
    const { icon, tone, word } = markLooks[kind]
    return (
      <span
        key={seq}
        className={`m ${tone}`}
        style={{ left: `${partOfEvent(overview, seq) * 100}%` }}
        title={`${word}, event ${seq}`}
      >
        <Icon name={icon} size={12} />
      </span>
    )
  }),
)
