// JSON as callers send it: measured before anything is built of it, then parsed once.
import { DEPTH_MAX } from '../../kernel/limits.ts'

/** The value, or what is wrong with the text. */
export const parseJson = (
  text: string,
  what: 'body' | 'message',
): { readonly value: unknown } | { readonly problem: string } => {
  if (depth(text) > DEPTH_MAX) return { problem: `The JSON is nested deeper than ${DEPTH_MAX} levels.` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: `The ${what} is not JSON.` }
  }
}

/** How deep the brackets go, without building anything. */
export const depth = (text: string): number => {
  let deepest = 0
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++open)
    else if (unit === 0x7d || unit === 0x5d) open--
  }
  return deepest
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}
