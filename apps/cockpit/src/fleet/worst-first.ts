// Sessions by how badly they need somebody.
import type { SessionRow } from 'bridle/client'

type Budgets = NonNullable<SessionRow['health']>['budget_pressure']

const levels: { readonly [level in Budgets['level']]: number } = { crossed: 0, high: 1, ok: 2, none: 3 }

/** The lowest score first; of equal ones the fullest budget, then the one with more flags, then the newest change. */
export const worstFirst = (rows: readonly SessionRow[]): readonly SessionRow[] =>
  [...rows].sort(
    (one, other) =>
      score(one) - score(other) ||
      level(one) - level(other) ||
      flags(other).length - flags(one).length ||
      (one.updatedAt < other.updatedAt ? 1 : -1),
  )

/** A session without a report has had nothing to complain about. */
const score = ({ health }: SessionRow): number => health?.score ?? 100
const level = ({ health }: SessionRow): number => levels[health?.budget_pressure.level ?? 'none']
const flags = ({ health }: SessionRow): readonly string[] => health?.flags ?? []

/** True where a person should look: a lower score, a flag, or a budget that is nearly used up. */
export const needsLook = (row: SessionRow): boolean => score(row) < 100 || flags(row).length > 0 || level(row) < 2

/** Flags with the number of sessions that have them, most frequent first. */
export const flagCounts = (rows: readonly SessionRow[]): readonly (readonly [flag: string, count: number])[] => {
  const counts = new Map<string, number>()
  for (const row of rows) for (const flag of flags(row)) counts.set(flag, (counts.get(flag) ?? 0) + 1)
  return [...counts].sort(([one, some], [other, more]) => more - some || (one < other ? -1 : 1))
}
