// The actions of the page: its keys, and its rows in the palette.
import { useAction, useActionList } from '../../actions/use-action.ts'
import { callLooks } from '../inspector/timeline/call-look.ts'
import type { CallFilter } from './model/chart-rows.ts'

export interface TimelineActions {
  /** 1 zooms in, -1 out, 0 shows everything. */
  readonly zoom: (by: 1 | 0 | -1) => void
  /** Moves the window to an earlier or a later time; null where it shows everything. */
  readonly pan: ((by: 1 | -1) => void) | null
  readonly move: (to: 1 | -1) => void
  /** Null where no row has been reached. */
  readonly open: (() => void) | null
  /** Both null where nothing is selected. */
  readonly close: (() => void) | null
  readonly branch: (() => void) | null
  readonly turnAxis: () => void
  readonly filters: readonly CallFilter[]
  readonly setFilter: (filter: CallFilter) => void
}

export const useTimelineActions = (actions: TimelineActions): void => {
  const { zoom, pan, move, open, close, branch, turnAxis, filters, setFilter } = actions
  useAction('timeline.zoom_in', () => zoom(1))
  useAction('timeline.zoom_out', () => zoom(-1))
  useAction('timeline.fit', () => zoom(0))
  useAction('timeline.earlier', pan && (() => pan(-1)))
  useAction('timeline.later', pan && (() => pan(1)))
  useAction('timeline.next', () => move(1))
  useAction('timeline.previous', () => move(-1))
  useAction('timeline.open', open)
  useAction('timeline.close', close)
  useAction('timeline.branch', branch)
  useAction('timeline.axis', turnAxis)
  useActionList(
    'timeline.filter',
    filters.map((filter) => ({
      detail: filter === 'all' ? 'all' : callLooks[filter].word,
      run: () => setFilter(filter),
    })),
  )
}
