// The axis, its lines behind the rows, and the stretches that are folded.

import { durationText } from 'bridle/words'
import type { Ref } from 'react'
import { visibleText } from '../../../ui/plain-text.ts'
import { type Axis, type Fold, sumMs, ticksIn } from '../../inspector/timeline/axis.ts'
import type { Call } from '../../inspector/timeline/call.ts'
import { foldClusters, foldWait } from '../model/chart.ts'
import { placeInWindow } from '../model/chart-window.ts'
import { percent, useChart } from './chart-context.tsx'

/** Words below the axis of the page, which is wide. */
const PAGE_TICKS_MAX = 7
/** A tick beyond this part of the axis would run into the word at its end. */
const PAGE_LAST_TICK = 0.93
/** The same for folded stretches, which are narrow. */
const FOLD_ROOM = 0.03

export const AxisWords = ({ axis, isOpen }: { readonly axis: Axis; readonly isOpen: boolean }) => {
  const { window } = useChart()
  const ticks = ticksIn(axis.lengthMs, window, PAGE_TICKS_MAX).filter(({ at }) => at < PAGE_LAST_TICK)
  return (
    <div className="times-axis num" aria-hidden="true">
      {ticks.map(({ at, ms }) => (
        <span key={ms} style={{ left: percent(at) }} className={at < 0.02 ? 'first' : undefined}>
          {ms === 0 ? '0 s' : durationText(ms)}
        </span>
      ))}
      <span className={window.to === 1 && isOpen ? 'last now medium' : 'last'}>
        {window.to === 1 && isOpen ? 'now' : durationText(window.to * axis.lengthMs)}
      </span>
    </div>
  )
}

interface AxisGridProps {
  readonly axis: Axis
  readonly calls: readonly Call[]
  readonly ref: Ref<HTMLDivElement>
}

export const AxisGrid = ({ axis, calls, ref }: AxisGridProps) => {
  const { window, now } = useChart()
  return (
    <div className="times-grid" ref={ref}>
      {ticksIn(axis.lengthMs, window, PAGE_TICKS_MAX).map(({ at, ms }) => (
        <u key={ms} style={{ left: percent(at) }} />
      ))}
      {foldClusters(axis.folds, (at) => placeInWindow(window, at), FOLD_ROOM).map(({ at, folds }) => (
        <span
          key={folds[0].from}
          className="times-fold"
          style={{ left: percent(at) }}
          title={foldText(folds, calls, now)}
        />
      ))}
    </div>
  )
}

const foldText = (folds: readonly [Fold, ...Fold[]], calls: readonly Call[], now: number): string => {
  const time = durationText(sumMs(folds))
  if (folds.length > 1) return `${time} in ${folds.length} stretches without a call, folded`
  const who = foldWait(folds[0], calls, now)
  if (who === null) return `${time} without a call, folded`
  return `${time} waiting for ${who === '' ? 'somebody' : visibleText(who)}, folded`
}
