/** Never splits a surrogate pair. */
export const truncate = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')

/** Ends with `…` if truncated. Words longer than the limit are split. */
export const truncateAtWord = (text: string, charsMax: number): string => {
  if (text.length <= charsMax) return text
  const start = truncate(text, charsMax - 1)
  const isInWord = /\S/.test(text[start.length] ?? '')
  return `${(isInWord ? start.replace(/\s+\S*$/, '') : start).trimEnd()}…`
}
