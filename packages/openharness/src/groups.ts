/**
 * The order of execution: groups one after the other, the members of a group side by side. Neighbours that all may run in parallel
 * form a group, as long as the list has them next to each other; every other entry is a group by itself. So a sequential entry
 * waits for all before it, and all after it wait for it.
 */
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
