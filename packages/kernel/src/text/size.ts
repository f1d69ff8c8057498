/** Estimate for numbers, booleans and the overhead of a name. */
const VALUE_CHARS = 8

/** Does not build the JSON, so the length of strings does not matter. */
export const approximateChars = (value: unknown): number => {
  if (typeof value === 'string') return value.length + VALUE_CHARS
  if (typeof value !== 'object' || value === null) return VALUE_CHARS
  let chars = VALUE_CHARS
  if (Array.isArray(value)) for (const each of value) chars += approximateChars(each)
  else for (const name in value) chars += VALUE_CHARS + approximateChars((value as Record<string, unknown>)[name])
  return chars
}
