// Arguments that are nearly JSON: inside of a code fence, with commas too many, or as a text that holds the JSON.
import { isDeeperThan, isJsonObject, type JsonObject } from '@bridle/events/json'
import { CALL_INPUT_DEPTH_MAX } from '../../model/limits.ts'

/** The object that the text probably means; null: none. */
export const repairJsonText = (text: string): JsonObject | null => {
  for (const candidate of [text, withoutFence(text), withoutCommas(withoutFence(text))]) {
    const value = parsedObject(candidate)
    if (value) return value
  }
  return null
}

/** The object that a text of JSON holds, also where the text is itself written as JSON. */
export const parsedObject = (text: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(text)
    const inner: unknown = typeof value === 'string' ? JSON.parse(value) : value
    return isJsonObject(inner) && !isDeeperThan(inner, CALL_INPUT_DEPTH_MAX) ? inner : null
  } catch {
    return null
  }
}

/** From the first brace to the last: models put words or a fence around the object. */
const withoutFence = (text: string): string => {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  return from < 0 || to < from ? text : text.slice(from, to + 1)
}

/** Without commas ahead of a closing bracket. Those inside of texts stay. */
const withoutCommas = (text: string): string => {
  let result = ''
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (isText && char === '\\') {
      result += char + (text[at + 1] ?? '')
      at += 1
      continue
    }
    if (char === '"') isText = !isText
    if (char === '}' || char === ']') result = isText ? result : withoutLastComma(result)
    result += char
  }
  return result
}

const withoutLastComma = (text: string): string => {
  const trimmed = text.trimEnd()
  return trimmed.endsWith(',') ? trimmed.slice(0, -1) : text
}
