// The arguments of a call awaiting approval, as speech. Only the start is read, because listeners forget long calls.
// Speech never approves a call; that needs a screen.
import type { JsonObject } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'

/** 15 seconds of speech, which a listener can remember. */
const CALL_CHARS_MAX = 200

export interface SpokenCall {
  readonly text: string
  readonly charsLeft: number
}

/** Budgets, unknown outcomes and questions have no arguments to read. Their reason describes them. */
export const spokenCall = (kind: string, args: JsonObject): SpokenCall => {
  const all = kind === 'tool' ? argumentsText(args) : ''
  const text = truncate(all, CALL_CHARS_MAX)
  return { text, charsLeft: all.length - text.length }
}

/** `command: npm test, cwd: /work`. Collapses whitespace, which is silent. */
const argumentsText = (args: JsonObject): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .replace(BLANKS, ' ')
    .trim()

const BLANKS = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu

export const restSentence = ({ charsLeft }: SpokenCall): string | null =>
  charsLeft === 0
    ? null
    : `${charsLeft} more ${charsLeft === 1 ? 'character is' : 'characters are'} left. Read the whole call on a screen before you approve it.`
