// Terminal width of text by grapheme: a letter with its marks, an emoji with its parts.

export interface Glyph {
  readonly text: string
  readonly columns: number
}

export const glyphsOf = (text: string): Glyph[] => {
  // A fast path: the segmenter is a hundred times slower.
  if (plain.test(text)) return Array.from(text, (letter) => ({ text: letter, columns: 1 }))
  return Array.from(segmenter().segment(text), ({ segment }) => ({ text: segment, columns: glyphColumns(segment) }))
}

export const displayWidth = (text: string): number => {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of segmenter().segment(text)) columns += glyphColumns(segment)
  return columns
}

export const cutToColumns = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const glyph of glyphsOf(text)) {
    if (width + glyph.columns > columns - 1) break
    kept += glyph.text
    width += glyph.columns
  }
  return `${kept}…`
}

/** Truncates at the start, with `…`. */
export const endInColumns = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  const glyphs = glyphsOf(text)
  let at = glyphs.length
  for (let width = 1; at > 0 && width + (glyphs[at - 1]?.columns ?? 0) <= columns; at--)
    width += glyphs[at - 1]?.columns ?? 0
  return `…${glyphs
    .slice(at)
    .map((glyph) => glyph.text)
    .join('')}`
}

const glyphColumns = (glyph: string): number => {
  // Terminals draw a multi-part emoji as one picture.
  if (emojiSequence.test(glyph)) return 2
  let columns = 0
  for (const letter of glyph.replace(zeroWidth, '')) columns += wide.test(letter) ? 2 : 1
  return columns
}

let madeSegmenter: Intl.Segmenter | undefined
/** Lazy: construction takes 10 ms, and most commands print only ASCII. */
const segmenter = (): Intl.Segmenter => {
  madeSegmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return madeSegmenter
}
const plain = /^[ -~]*$/
/** A picture, a character made a picture by a variation selector (❤️, 1️⃣), a joined sequence, or a flag. */
const emojiSequence =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Extended_Pictographic}.*\u200d|[\u{1f1e6}-\u{1f1ff}]{2})/u
/** Marks, joiners, variation selectors, and Hangul medials and finals. A soft hyphen is visible. */
const zeroWidth = /(?!\u00ad)[\p{Cf}\p{Mn}\p{Me}\u1160-\u11ff\u3164]/gu
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u
