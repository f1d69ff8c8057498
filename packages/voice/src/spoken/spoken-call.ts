// The arguments of a call that waits for an approval, as a listener hears them. A listener forgets the beginning of a long call, so a line reads
// only that and says how much is left. Speech never approves a call: a person answers on a screen.
import type { JsonObject } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'

/** Characters of a call that a line reads before an approval: a quarter of a minute of speech, which a listener can still keep in mind. */
const CALL_CHARS_MAX = 200

export interface SpokenCall {
  /** The beginning of the arguments; empty = there are none to read. */
  readonly text: string
  /** The characters behind it. */
  readonly charsLeft: number
}

/** Budgets, unknown outcomes and questions to the user are not calls. Their reason says what they are about. */
export const spokenCall = (kind: string, args: JsonObject): SpokenCall => {
  const all = kind === 'tool' ? argumentsText(args) : ''
  const text = truncate(all, CALL_CHARS_MAX)
  return { text, charsLeft: all.length - text.length }
}

/** `command: npm test, cwd: /work`. A run of blanks becomes one space, since blanks are silent. */
const argumentsText = (args: JsonObject): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .replace(BLANKS, ' ')
    .trim()

const BLANKS = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** Null where all of the call was read. */
export const restSentence = ({ charsLeft }: SpokenCall): string | null =>
  charsLeft === 0
    ? null
    : `${charsLeft} more ${charsLeft === 1 ? 'character is' : 'characters are'} left. Read the whole call on a screen before you approve it.`
