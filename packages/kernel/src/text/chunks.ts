/** Below the 2 MB limit of rows in a Durable Object. */
export const CHUNK_CHARS = 1_000_000

/** Measured as JSON, which may take six characters for one. */
export const splitIntoChunks = (text: string): string[] => {
  const charsMax = Math.floor(CHUNK_CHARS / 6)
  const fits = text.length <= charsMax || JSON.stringify(text).length <= CHUNK_CHARS
  return fits ? [text] : splitText(text, charsMax)
}

/** Never splits a surrogate pair. */
export const splitText = (text: string, charsMax: number): string[] => {
  if (text.length <= charsMax) return [text]
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + charsMax)
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}
