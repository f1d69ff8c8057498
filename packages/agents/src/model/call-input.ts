// The arguments of a model's tool call: its text, as a JSON object or as a problem that the model can be told about.
import { isDeeperThan, isJsonObject, type JsonObject } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import { CALL_INPUT_CHARS_MAX, CALL_INPUT_DEPTH_MAX, RAW_CHARS_MAX } from './limits.ts'

/** Arguments that a tool can be given, or an empty object with the problem and the beginning of the model's text. */
export interface CallInput {
  readonly input: JsonObject
  readonly problem?: string
  readonly raw?: string
}

/** Reads the arguments, of which at most `room` characters still fit into the step. No text at all is a call without arguments. */
export const readCallInput = (text: string, room: number): CallInput => {
  if (text.length > CALL_INPUT_CHARS_MAX)
    return unusableInput(text, `The arguments have ${text.length} characters; the limit is ${CALL_INPUT_CHARS_MAX}.`)
  if (text.length > room)
    return unusableInput(
      text,
      'The arguments of all calls of this answer are too long together. Make fewer calls at once.',
    )
  if (text.trim() === '') return { input: {} }
  try {
    const input: unknown = JSON.parse(text)
    if (!isJsonObject(input)) return unusableInput(text, 'The arguments are JSON, but not an object.')
    if (isDeeperThan(input, CALL_INPUT_DEPTH_MAX))
      return unusableInput(text, `The arguments are nested deeper than ${CALL_INPUT_DEPTH_MAX} levels.`)
    return { input }
  } catch {
    return unusableInput(text, 'The arguments are not valid JSON.')
  }
}

export const unusableInput = (text: string, problem: string): CallInput => ({
  input: {},
  problem,
  raw: truncate(text, RAW_CHARS_MAX),
})

/** The text of the arguments. The interface asks for text; some packages give the object that it stands for. */
export const callInputText = (value: unknown): string => {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A text that is no JSON, so that the reader above says so.
    return '(not JSON)'
  }
}
