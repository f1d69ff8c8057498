/** Below the 2 MB limit of rows in a Durable Object. */
export const CHUNK_CHARS = 1_000_000

/** Measured as JSON, which may take six characters for one. Never splits a surrogate pair. */
export const splitIntoChunks = (text: string): string[] => {
  const most = CHUNK_CHARS / 6
  if (text.length <= most || JSON.stringify(text).length <= CHUNK_CHARS) return [text]
  const chunks: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + Math.floor(most))
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1
    chunks.push(text.slice(from, to))
    from = to
  }
  return chunks
}
