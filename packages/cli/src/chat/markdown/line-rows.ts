import { stripVTControlCharacters } from 'node:util'
import { displayWidth } from '../../terminal/display-width.ts'
import { parseInline, type Span, type SpanStyle } from './inline.ts'
import { type Paint, type Row, type RowPrefix, wrapSpans } from './wrap.ts'

/** Deeper lists would leave no room for text. */
export const LINE_INDENT_MAX = 16

/** Nested quote marks drawn as bars. Deeper ones are text. */
const QUOTE_DEPTH_MAX = 4

interface LineShape {
  readonly prefix: RowPrefix
  readonly from: number
  readonly base: readonly SpanStyle[]
  readonly isRule?: boolean
}

export const lineRows = (line: string, columns: number, paint: Paint): Row[] => {
  const shape = lineShape(line, paint)
  if (shape.isRule) {
    const room = columns - displayWidth(stripVTControlCharacters(shape.prefix.first))
    return [{ text: `${shape.prefix.first}${paint.style('dim', '─'.repeat(ruleWidth(room)))}`, end: line.length }]
  }
  return textRows(line, shape, columns, paint)
}

/** The rest of a line whose start was printed: same indent, no second bullet. */
export const continuedRows = (line: string, rest: string, columns: number, paint: Paint): Row[] =>
  textRows(line, { prefix: { first: rest, rest }, from: 0, base: [] }, columns, paint)

export const restPrefix = (line: string, paint: Paint): string => lineShape(line, paint).prefix.rest

const textRows = (line: string, { prefix, from, base }: LineShape, columns: number, paint: Paint): Row[] => {
  const spans = parseInline(line.slice(from)).map(
    (span): Span => ({ ...span, start: span.start + from, end: span.end + from }),
  )
  return wrapSpans(line, spans, prefix, columns, paint, base)
}

const lineShape = (line: string, paint: Paint): LineShape => {
  let from = 0
  let bars = ''
  for (let depth = 0; depth < QUOTE_DEPTH_MAX; depth++) {
    const quote = /^ {0,3}> ?/.exec(line.slice(from))
    if (!quote) break
    from += quote[0].length
    bars += paint.style('dim', '│ ')
  }
  const text = line.slice(from)
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(text))
    return { prefix: { first: bars, rest: bars }, from, base: [], isRule: true }
  const heading = /^ {0,3}(#{1,6})(?: +|$)/.exec(text)
  if (heading) {
    const mark = paint.hasColour ? '' : `${heading[1]} `
    return { prefix: { first: `${bars}${mark}`, rest: bars }, from: from + heading[0].length, base: ['bold'] }
  }
  const item = /^( *)([-*+]|\d{1,9}[.)])(?: +|$)/.exec(text)
  const indent = ' '.repeat(Math.min((item?.[1] ?? /^[ \t]*/.exec(text)?.[0] ?? '').length, LINE_INDENT_MAX))
  if (!item) {
    const start = from + (/^[ \t]*/.exec(text)?.[0].length ?? 0)
    return { prefix: { first: `${bars}${indent}`, rest: `${bars}${indent}` }, from: start, base: [] }
  }
  const bullet = /\d/.test(item[2] ?? '') ? `${item[2]} ` : '• '
  return {
    prefix: { first: `${bars}${indent}${bullet}`, rest: `${bars}${indent}${' '.repeat(displayWidth(bullet))}` },
    from: from + item[0].length,
    base: [],
  }
}

const ruleWidth = (columns: number): number => Math.max(Math.min(columns, 40), 3)
