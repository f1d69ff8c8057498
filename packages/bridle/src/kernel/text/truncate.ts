/** The beginning of a text, at most `most` characters; never splits a surrogate pair. */
export const truncate = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')
