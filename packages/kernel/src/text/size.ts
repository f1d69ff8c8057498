// The approximate size of a value: its characters, and a constant for each value that is not text.

/** Characters that a number, a boolean or a name counts for in `approximateChars`. */
const VALUE_CHARS = 8

/** Does not build the text, so a long string costs no more than a short one. */
export const approximateChars = (value: unknown): number => {
  if (typeof value === 'string') return value.length + VALUE_CHARS
  if (typeof value !== 'object' || value === null) return VALUE_CHARS
  let chars = VALUE_CHARS
  if (Array.isArray(value)) for (const each of value) chars += approximateChars(each)
  else for (const name in value) chars += VALUE_CHARS + approximateChars((value as Record<string, unknown>)[name])
  return chars
}
