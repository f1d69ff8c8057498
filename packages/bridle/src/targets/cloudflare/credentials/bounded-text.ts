// Text of a body, read piece by piece: a body that is too large is never in memory as a whole.

/** The text, or why reading stopped. `hold` gets the size of each piece and may refuse it. */
export const readTextUpTo = async (
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  hold: (bytes: number) => boolean = () => true,
): Promise<{ readonly text: string } | 'too large' | 'too many'> => {
  if (!body) return { text: '' }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const parts: string[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: parts.join('') + decoder.decode() }
    bytes += value.byteLength
    const refusal = bytes > bytesMax ? 'too large' : hold(value.byteLength) ? null : 'too many'
    if (refusal) {
      await reader.cancel().catch(() => {})
      return refusal
    }
    parts.push(decoder.decode(value, { stream: true }))
  }
}
