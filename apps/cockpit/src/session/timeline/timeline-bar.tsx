// The controls of the page: how time is shown, which calls, and how near.

import { plural } from 'bridle/words'
import { keyHintOf } from '../../actions/action-table.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { callLooks } from '../inspector/timeline/call-look.ts'
import { ViewBar } from '../views/view-bar.tsx'
import type { AxisKind } from './model/chart.ts'
import type { CallFilter } from './model/chart-rows.ts'
import { type ChartWindow, windowWidth } from './model/chart-window.ts'

interface TimelineBarProps {
  readonly axis: AxisKind
  readonly onAxis: (axis: AxisKind) => void
  readonly counts: readonly (readonly [CallFilter, number])[]
  readonly filter: CallFilter
  readonly onFilter: (filter: CallFilter) => void
  readonly window: ChartWindow
  /** 1 zooms in, -1 out, 0 shows everything. */
  readonly onZoom: (by: 1 | 0 | -1) => void
}

const axes: readonly { readonly id: AxisKind; readonly word: string }[] = [
  { id: 'calls', word: 'Calls only' },
  { id: 'clock', word: 'Clock time' },
]

export const TimelineBar = ({ axis, onAxis, counts, filter, onFilter, window, onZoom }: TimelineBarProps) => (
  <ViewBar>
    {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
    <span className="seg" role="group" aria-label="Axis">
      {axes.map(({ id, word }) => (
        <button
          key={id}
          type="button"
          className={id === axis ? 'on' : undefined}
          aria-pressed={id === axis}
          onClick={() => onAxis(id)}
        >
          {word}
        </button>
      ))}
    </span>
    {counts.map(([id, count]) => (
      <button
        key={id}
        type="button"
        className={`chip${id === filter ? ' on' : ''}`}
        aria-pressed={id === filter}
        onClick={() => onFilter(id === filter ? 'all' : id)}
      >
        {id === 'all' ? (
          plural(count, 'call')
        ) : (
          <>
            <Icon name={callLooks[id].icon} size={12} />
            {id === 'error' ? plural(count, 'error') : `${count} ${callLooks[id].word}`}
          </>
        )}
      </button>
    ))}
    <span className="right row times-zoom">
      <IconButton name="zoom-out" label="Zoom out (-)" onClick={() => onZoom(-1)} />
      <span className="num small t3">{zoomText(window)}</span>
      <IconButton name="zoom-in" label="Zoom in (+)" onClick={() => onZoom(1)} />
      <Button look="ghost" keyHint={keyHintOf('timeline.fit')} onClick={() => onZoom(0)}>
        Fit
      </Button>
    </span>
  </ViewBar>
)

const zoomText = (window: ChartWindow): string => `${Math.round(100 / windowWidth(window))} %`
