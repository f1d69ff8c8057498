// The places of groups and rows from the top, so that only those in sight are drawn: a session may have thousands of calls.
import type { ChartGroup, ChartRow } from './chart-rows.ts'

/** The height of a row with a call, and the room above and below the rows of a group with its line: the sheet has the same. */
export const ROW_PX = 32

/** Space between two groups of rows. */
const GROUP_PX = 7
/** The height of a group with one row: its label has two lines. */
const GROUP_MIN_PX = 45

export interface PlacedGroup {
  readonly group: ChartGroup
  readonly top: number
  readonly height: number
  /** The room above the rows. */
  readonly head: number
}

export interface RowLayout {
  readonly groups: readonly PlacedGroup[]
  readonly height: number
}

/** `head`: the height of a line with the group's name above its rows; 0 where the name stands beside them. */
export const rowLayout = (groups: readonly ChartGroup[], head = 0): RowLayout => {
  let top = 0
  const placed = groups.map((group) => {
    const height = Math.max(GROUP_MIN_PX, head + group.rows.length * ROW_PX + GROUP_PX)
    const place = { group, top, height, head }
    top += height
    return place
  })
  return { groups: placed, height: top }
}

export interface ShownGroup extends PlacedGroup {
  readonly rows: readonly { readonly row: ChartRow; readonly top: number }[]
}

/** The groups and rows between two heights. */
export const rowsBetween = ({ groups }: RowLayout, from: number, to: number): readonly ShownGroup[] =>
  groups
    .filter(({ top, height }) => top < to && top + height > from)
    .map((placed) => {
      const { group, top, head } = placed
      const first = Math.max(0, Math.floor((from - top - head) / ROW_PX))
      const last = Math.min(group.rows.length, Math.ceil((to - top - head) / ROW_PX))
      const rows = group.rows.slice(first, last).map((row, index) => ({ row, top: head + (first + index) * ROW_PX }))
      return { ...placed, rows }
    })

/** The height of a row from the top, or null where it is not among them. */
export const rowTop = ({ groups }: RowLayout, key: string): number | null => {
  for (const { group, top, head } of groups) {
    const index = group.rows.findIndex((row) => row.key === key)
    if (index >= 0) return top + head + index * ROW_PX
  }
  return null
}
