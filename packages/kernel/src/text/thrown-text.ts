/** Never throws, even for values that cannot be converted to text. */
export const thrownText = (value: unknown): string => {
  try {
    return String(value instanceof Error ? value.message || value.name : value)
  } catch {
    return 'Unknown error.'
  }
}
