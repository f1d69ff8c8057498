/** The beginning of a text, at most so long, and never half of a character. */
export const truncate = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')
