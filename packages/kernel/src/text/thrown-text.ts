/** The text of anything that was thrown, also of a value that cannot be written as text. */
export const thrownText = (value: unknown): string => {
  try {
    return String(value instanceof Error ? value.message || value.name : value)
  } catch {
    return 'Unknown error.'
  }
}
