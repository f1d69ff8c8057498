// The size of a step while it arrives: a step is one event, so it has to end before it is too long for one.
import { isDeeperThan, isJsonObject, type JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { CALL_INPUT_DEPTH_MAX, ENTRIES_MAX, STEP_CHARS_MAX } from './limits.ts'
import type { StepContent } from './model.ts'
import { ModelError } from './model-error.ts'

/** Characters of arguments in one stream: those beyond the limit of a call are thrown away, but a stream of them has to end. */
const STREAM_CHARS_MAX = 20_000_000
/** Parts of one stream: the longest answers have 128,000 tokens, and a part that says nothing costs time, too. */
export const PARTS_MAX = 300_000
/** The most characters that one character of text becomes in JSON: `\u0000`. */
const ESCAPE_CHARS_MAX = 6

export type StepSize = ReturnType<typeof createStepSize>

export const createStepSize = () => {
  let chars = 0
  let entries = 0
  let parts = 0
  let argumentChars = 0
  const addChars = (more: number) => {
    chars += more
    if (chars > STEP_CHARS_MAX) throw tooLong()
  }
  return {
    addChars,
    /** Counts a part of the stream of any kind. */
    addPart: () => {
      parts += 1
      if (parts > PARTS_MAX) throw invalid(`The model's answer does not end: it came in more than ${PARTS_MAX} pieces.`)
    },
    /** Counts arguments as they arrive, also those that are thrown away. */
    addArguments: (more: number) => {
      argumentChars += more
      if (argumentChars > STREAM_CHARS_MAX)
        throw invalid(`The model's answer does not end: its calls have more than ${STREAM_CHARS_MAX} characters.`)
    },
    addEntry: () => {
      entries += 1
      if (entries > ENTRIES_MAX)
        throw invalid(`The model answered with more than ${ENTRIES_MAX} texts and calls at once.`)
    },
    /** Characters that still fit. */
    room: () => STEP_CHARS_MAX - chars,
    /** Plain JSON of the value, as the log would give it back; undefined where it has none. */
    keep: (value: unknown): JsonObject | undefined => {
      const text = jsonText(value)
      if (text === undefined) return undefined
      addChars(text.length)
      const plain: unknown = JSON.parse(text)
      if (isDeeperThan(plain, CALL_INPUT_DEPTH_MAX))
        throw invalid(`The provider's metadata is nested deeper than ${CALL_INPUT_DEPTH_MAX} levels.`)
      return isJsonObject(plain) && Object.keys(plain).length > 0 ? plain : undefined
    },
    check: (content: readonly StepContent[]) => {
      // A short step fits even if each of its characters has to be escaped.
      if (chars > STEP_CHARS_MAX / ESCAPE_CHARS_MAX && JSON.stringify(content).length > STEP_CHARS_MAX) throw tooLong()
    },
  }
}

const jsonText = (value: unknown): string | undefined =>
  tryOr(undefined, () => (value === undefined ? undefined : JSON.stringify(value)))

const tooLong = () =>
  invalid(
    `The model's answer has more than ${STEP_CHARS_MAX} characters. Set \`settings.maxOutputTokens\` to a lower number.`,
  )

const invalid = (message: string) => new ModelError('invalid', message, { retryable: false })
