// Inline Markdown styles. Spans refer to the source, so that a long line can be cut anywhere.

/** Deeper marks are shown literally. Bounds the recursion for hostile text. */
const SPAN_DEPTH_MAX = 6

export type SpanStyle = 'bold' | 'italic' | 'strikethrough' | 'code' | 'address'

export interface Span {
  readonly start: number
  readonly end: number
  readonly styles: readonly SpanStyle[]
  /** Text around the span that is not in the source, such as parentheses around an address. */
  readonly before?: string
  readonly after?: string
}

/** Unpaired marks are literal text. A streaming line usually ends in one. */
export const parseInline = (source: string): Span[] => parseRange(source, 0, source.length, [])

interface Range {
  readonly source: string
  readonly to: number
  readonly styles: readonly SpanStyle[]
  /** Marks known to have no partner ahead, so that hostile text is not searched repeatedly. */
  readonly unpaired: Set<string>
}

const parseRange = (source: string, from: number, to: number, styles: readonly SpanStyle[]): Span[] => {
  const spans: Span[] = []
  const range: Range = { source, to, styles, unpaired: new Set() }
  let textStart = from
  let at = from
  const endText = (end: number) => {
    if (end > textStart) spans.push({ start: textStart, end, styles })
  }
  while (at < to) {
    const found = spanAt(range, at)
    if (!found) {
      at += 1
      continue
    }
    endText(at)
    spans.push(...found.spans)
    at = found.end
    textStart = at
  }
  endText(to)
  return spans
}

interface FoundSpan {
  readonly spans: readonly Span[]
  readonly end: number
}

const spanAt = (range: Range, at: number): FoundSpan | null => {
  const { source, styles } = range
  const letter = source[at]
  if (letter === '\\') return escapeAt(range, at)
  if (letter === '`') return codeAt(range, at)
  if (styles.length >= SPAN_DEPTH_MAX) return null
  if (letter === '[' || (letter === '!' && source[at + 1] === '[')) return linkAt(range, letter === '[' ? at : at + 1)
  if (letter === '*' || letter === '_' || letter === '~') return emphasisAt(range, at)
  return null
}

const escapeAt = ({ source, to, styles }: Range, at: number): FoundSpan | null =>
  at + 1 < to && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')
    ? { spans: [{ start: at + 1, end: at + 2, styles }], end: at + 2 }
    : null

const codeAt = ({ source, to, styles, unpaired }: Range, at: number): FoundSpan => {
  let open = at
  while (open < to && source[open] === '`') open += 1
  const mark = source.slice(at, open)
  if (!unpaired.has(mark)) {
    for (let close = source.indexOf(mark, open); close >= 0 && close + mark.length <= to; ) {
      let end = close
      while (source[end] === '`') end += 1
      if (end - close === mark.length)
        return { spans: [{ start: open, end: close, styles: [...styles, 'code'] }], end: close + mark.length }
      close = source.indexOf(mark, end)
    }
    unpaired.add(mark)
  }
  // Treat the whole run as text, so that the search does not restart at each mark.
  return { spans: [{ start: at, end: open, styles }], end: open }
}

const linkAt = ({ source, to, styles, unpaired }: Range, at: number): FoundSpan | null => {
  if (unpaired.has('[')) return null
  const middle = source.indexOf('](', at + 1)
  const close = middle < 0 ? -1 : source.indexOf(')', middle + 2)
  if (close < 0 || close >= to) {
    unpaired.add('[')
    return null
  }
  // A bracket or space in between belongs to something else.
  if (source.slice(at + 1, middle).includes('[') || /\s/.test(source.slice(middle + 2, close).trim())) return null
  const label = parseRange(source, at + 1, middle, styles)
  const address: Span = { start: middle + 2, end: close, styles: [...styles, 'address'], before: ' (', after: ')' }
  // Always show the address: a link that hides its target could lead anywhere.
  const isSame = source.slice(at + 1, middle) === source.slice(middle + 2, close)
  return { spans: isSame || close === middle + 2 ? label : [...label, address], end: close + 1 }
}

const emphasisAt = ({ source, to, styles, unpaired }: Range, at: number): FoundSpan => {
  const letter = source[at] as string
  const isDouble = source[at + 1] === letter
  const mark = isDouble ? letter + letter : letter
  const style: SpanStyle = letter === '~' ? 'strikethrough' : isDouble ? 'bold' : 'italic'
  const open = at + mark.length
  const isInWord = letter === '_' && /[\p{L}\p{N}]/u.test(source[at - 1] ?? '')
  const opens = open < to && !/\s/.test(source[open] ?? ' ') && (letter !== '~' || isDouble) && !isInWord
  const literal = { spans: [{ start: at, end: open, styles }], end: open }
  if (!opens || unpaired.has(mark) || styles.includes(style)) return literal
  const close = closingMark(source, open, to, mark)
  if (close < 0) {
    unpaired.add(mark)
    return literal
  }
  return { spans: parseRange(source, open, close, [...styles, style]), end: close + mark.length }
}

/** The closing mark: after a letter, and not part of a longer run. */
const closingMark = (source: string, from: number, to: number, mark: string): number => {
  const letter = mark[0] as string
  for (let at = source.indexOf(mark, from + 1); at >= 0 && at + mark.length <= to; ) {
    let end = at
    while (end < to && source[end] === letter) end += 1
    const length = end - at
    const fits = mark.length === 1 ? length % 2 === 1 : length >= 2
    const endsWord = letter !== '_' || !/[\p{L}\p{N}]/u.test(source[end] ?? '')
    // In a run of three, as in `**bold *both***`, the last marks close the outer style.
    if (fits && endsWord && !/\s/.test(source[at - 1] ?? ' ') && source[at - 1] !== '\\') return end - mark.length
    at = source.indexOf(mark, end)
  }
  return -1
}
