// How much of an answer was heard, from how much of its audio was played.
import { MS_PER_CHAR } from '../limits.ts'
import type { SentSpeech } from './utterance.ts'

/** The part of an answer that a listener has heard. */
export interface HeardText {
  readonly chars: number
  readonly audioMs: number
}

/** A word of an answer that was heard in part does not count. */
export const heardText = (
  speech: readonly SentSpeech[],
  { runId, playedMs, content }: { readonly runId: string; readonly playedMs: number; readonly content: string },
): HeardText => {
  let chars = 0
  let audioMs = 0
  for (const sent of speech.filter(({ utterance }) => utterance.runId === runId && !utterance.isNotice)) {
    if (playedMs < sent.startMs) break
    audioMs += Math.min(sent.endMs, playedMs) - sent.startMs
    if (sent.state === 'complete' && playedMs >= sent.endMs) chars = sent.utterance.to
    else return { chars: Math.max(chars, charsWithin(sent, playedMs, content)), audioMs }
  }
  return { chars: Math.min(chars, content.length), audioMs }
}

const charsWithin = ({ utterance, startMs, endMs, state }: SentSpeech, playedMs: number, content: string): number => {
  const { from, to, isWhole, words } = utterance
  if (isWhole) return from
  const heardMs = Math.min(playedMs, endMs) - startMs
  // Audio that is still coming makes a sentence longer than it is so far.
  const wholeMs = state === 'complete' ? endMs - startMs : Math.max(endMs - startMs, words.length * MS_PER_CHAR)
  const reached = from + Math.floor(((to - from) * heardMs) / Math.max(1, wholeMs))
  return Math.max(from, wordEnd(content, Math.min(reached, content.length)))
}

/** The end of the last whole word before a position. */
const wordEnd = (content: string, position: number): number => {
  const isBetweenWords = position >= content.length || /\s/.test(content[position] as string)
  const before = content.slice(0, position)
  return (isBetweenWords ? before : before.replace(/\S+$/, '')).trimEnd().length
}
