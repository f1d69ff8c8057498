// The tree of branches as lines on an axis of event numbers, and the last event that two sessions share.
import type { TreeSession } from 'bridle/client'

/** Ticks of the axis, about. */
const TICKS = 6

export interface TreeLine {
  readonly session: TreeSession
  /** The event that the line begins at: 0, or where it leaves its parent. */
  readonly from: number
  readonly to: number
  /** The place of the parent among the lines; null = the tree begins here. */
  readonly parent: number | null
}

export const treeLines = (sessions: readonly TreeSession[]): readonly TreeLine[] =>
  sessions.map((session) => {
    const at = sessions.findIndex(({ id }) => id === session.parent?.id)
    const from = session.parent?.seq ?? 0
    // A session that is gone has no end; its branches say how far it came at least.
    const left = sessions.filter(({ parent }) => parent?.id === session.id).map(({ parent }) => parent?.seq ?? 0)
    return { session, from, to: session.head ?? Math.max(from, ...left), parent: at < 0 ? null : at }
  })

/** Round numbers from 0 to the last event, which ends the axis. */
export const axisTicks = (last: number): readonly number[] => {
  const rough = Math.max(1, last / TICKS)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? power)
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
  // A tick that is too close to the end would lie under its number.
  return [...ticks.filter((tick) => tick <= last - step / 2 || tick === 0), ...(last > 0 ? [last] : [])]
}

/** The last event that two sessions of a tree share; null = nothing links them. */
export const sharedSeq = (sessions: readonly TreeSession[], a: string, b: string): number | null => {
  const first = ancestry(sessions, a)
  const second = ancestry(sessions, b)
  const meeting = [...first.keys()].find((id) => second.has(id))
  if (meeting === undefined) return null
  return Math.min(first.get(meeting) ?? 0, second.get(meeting) ?? 0)
}

/** The sessions from this one up to the root, each with the last of its events that this one has. */
const ancestry = (sessions: readonly TreeSession[], id: string): ReadonlyMap<string, number> => {
  const reach = new Map<string, number>()
  let last = Number.POSITIVE_INFINITY
  for (let each = sessions.find((session) => session.id === id); each && !reach.has(each.id); ) {
    reach.set(each.id, Math.min(last, each.head ?? last))
    last = Math.min(last, each.parent?.seq ?? last)
    const above: string | undefined = each.parent?.id
    each = sessions.find((session) => session.id === above)
  }
  return reach
}

/** The two sessions of the address, or those that a person most likely compares: a branch with its parent. */
export const chosenPair = (
  sessions: readonly TreeSession[],
  current: string,
  chosen: { readonly a: string | null; readonly b: string | null },
): { readonly a: string | null; readonly b: string | null } => {
  const visible = sessions.filter(({ visible }) => visible)
  const find = (id: string | null | undefined): string | null => visible.find((each) => each.id === id)?.id ?? null
  const own = visible.find(({ id }) => id === current)
  const newest = visible
    .filter(({ parent }) => parent?.id === current)
    .toSorted((x, y) => (x.created_at ?? '').localeCompare(y.created_at ?? ''))
    .at(-1)
  const above = find(own?.parent?.id)
  const a = find(chosen.a) ?? (find(chosen.b) === null && newest ? current : (above ?? current))
  const b = find(chosen.b) ?? (a === current ? (newest?.id ?? null) : current)
  return { a, b: b === a ? null : b }
}
