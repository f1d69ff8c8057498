// Shortens ids to unique prefixes for narrow terminals.

/** Shorter ids look like words. */
const ID_CHARS_MIN = 12
/** Spare characters beyond the unique prefix. With hexadecimal digits, an unlisted id collides once in 65,000. */
const ID_CHARS_SPARE = 4

/** A prefix of each id, long enough to rarely match ids outside the list. */
export const shortIds = (ids: readonly string[]): string[] => {
  const sorted = [...new Set(ids)].sort()
  const lengths = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]))
      return [id, Math.max(shared + ID_CHARS_SPARE, ID_CHARS_MIN)]
    }),
  )
  return ids.map((id) => id.slice(0, lengths.get(id)))
}

const sharedLength = (id: string, other = ''): number => {
  let at = 0
  while (at < id.length && id[at] === other[at]) at++
  return at
}
