// JSON as callers send it: measured before anything is built of it, then parsed once.
import { DEPTH_MAX, VALUES_MAX } from '../../kernel/limits.ts'

/** The value, or what is wrong with the text. */
export const parseJson = (
  text: string,
  what: 'body' | 'message',
): { readonly value: unknown } | { readonly problem: string } => {
  const { depth, values } = measure(text)
  if (depth > DEPTH_MAX) return { problem: `The JSON is nested deeper than ${DEPTH_MAX} levels.` }
  if (values > VALUES_MAX) return { problem: `The JSON has more than ${VALUES_MAX} values.` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: `The ${what} is not JSON.` }
  }
}

/** How deep the brackets go, and how many values there are at most: each stands behind a bracket or a comma. */
export const measure = (text: string): { readonly depth: number; readonly values: number } => {
  let depth = 0
  let open = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x2c) values++
    else if (unit === 0x7b || unit === 0x5b) {
      values++
      depth = Math.max(depth, ++open)
    } else if (unit === 0x7d || unit === 0x5d) open--
  }
  return { depth, values }
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}
