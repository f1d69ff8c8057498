// Ids cut to a beginning that names each of them, for lists on a narrow terminal.

/** A shortened id has at least this many characters: shorter ones look like words. */
const ID_CHARS_MIN = 12
/** Characters behind those that tell an id from its neighbours in the list; with hexadecimal digits, one in 65,000 is met again. */
const ID_CHARS_SPARE = 4

/** The beginning of each id. Ids that are not in the list may begin in the same way: a few more characters make that rare. */
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
