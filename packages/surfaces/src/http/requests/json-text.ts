// JSON is measured before it is parsed: deep nesting or very many values would cost memory and time.
import { DEPTH_MAX } from '@bridle/events/limits'
import { tryOr } from '@bridle/kernel/try-or'

/** This many named values block the event loop for a tenth of a second. */
export const VALUES_MAX = 50_000

export const parseJson = (
  text: string,
  what: 'body' | 'message',
): { readonly value: unknown } | { readonly problem: string } => {
  const { depth, values, keys } = measureJson(text)
  if (depth > DEPTH_MAX) return { problem: `The JSON is nested deeper than ${DEPTH_MAX} levels.` }
  if (values > VALUES_MAX) return { problem: `The JSON has more than ${VALUES_MAX} values.` }
  const value = tryParse(text)
  if (value === undefined) return { problem: `The ${what} is not JSON.` }
  // Parsers disagree on duplicate keys, so the validated value may not be the one used later.
  if (keysIn(value) < keys) return { problem: 'The JSON has a key twice in one object.' }
  return { value }
}

const tryParse = (text: string): unknown => tryOr(undefined, () => JSON.parse(text))

const keysIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const values = Object.values(value)
  let count = Array.isArray(value) ? 0 : values.length
  for (const each of values) count += keysIn(each)
  return count
}

export interface JsonMeasure {
  readonly depth: number
  readonly values: number
  readonly keys: number
}

export const measureJson = (text: string): JsonMeasure => {
  let depth = 0
  let open = 0
  let values = 1
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x2c) values++
    else if (unit === 0x3a) keys++
    else if (unit === 0x7b || unit === 0x5b) {
      values++
      depth = Math.max(depth, ++open)
    } else if (unit === 0x7d || unit === 0x5d) open--
  }
  return { depth, values, keys }
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}
