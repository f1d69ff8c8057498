/** Adjacent parallel entries form a group. Groups run in order, so a sequential entry is a barrier. */
export const groupDirectives = <T>(entries: readonly T[], isParallel: (entry: T) => boolean): T[][] => {
  const groups: T[][] = []
  let open: T[] | null = null
  for (const entry of entries) {
    const parallel = isParallel(entry)
    if (parallel && open) open.push(entry)
    else groups.push([entry])
    open = parallel ? (groups.at(-1) ?? null) : null
  }
  return groups
}
