// How large a value is, near enough: its characters, and a little for each value that is none.
const VALUE_CHARS = 8

/** Counted without making the text: a long string costs as much to count as a short one. */
export const approximateChars = (value: unknown): number => {
  if (typeof value === 'string') return value.length + VALUE_CHARS
  if (typeof value !== 'object' || value === null) return VALUE_CHARS
  let chars = VALUE_CHARS
  if (Array.isArray(value)) for (const each of value) chars += approximateChars(each)
  else for (const name in value) chars += VALUE_CHARS + approximateChars((value as Record<string, unknown>)[name])
  return chars
}
