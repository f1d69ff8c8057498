import type { HeardMark } from '@bridle/kernel/projections/listening'
import { wordEnd } from '../../spoken/heard-answers.ts'
import type { SentSpeech } from './utterance.ts'

/** Speech has 14 to 18 characters a second. Used while a sentence's audio is incomplete. */
const MS_PER_CHAR = 62

/** Excludes a partly heard last word. */
export const heardText = (
  speech: readonly SentSpeech[],
  { runId, playedMs, content }: { readonly runId: string; readonly playedMs: number; readonly content: string },
): HeardMark => {
  let chars = 0
  let audioMs = 0
  for (const sent of speech.filter(({ utterance }) => utterance.runId === runId && !utterance.isNotice)) {
    if (playedMs < sent.startMs) break
    audioMs += Math.min(sent.endMs, playedMs) - sent.startMs
    if (sent.state === 'complete' && playedMs >= sent.endMs) chars = sent.utterance.to
    else return { runId, chars: Math.max(chars, charsWithin(sent, playedMs, content)), audioMs }
  }
  return { runId, chars: Math.min(chars, content.length), audioMs }
}

const charsWithin = ({ utterance, startMs, endMs, state }: SentSpeech, playedMs: number, content: string): number => {
  const { from, to, isWhole, words } = utterance
  if (isWhole) return from
  const heardMs = Math.min(playedMs, endMs) - startMs
  // The sentence's audio is incomplete, so estimate its final length.
  const wholeMs = state === 'complete' ? endMs - startMs : Math.max(endMs - startMs, words.length * MS_PER_CHAR)
  const reached = from + Math.floor(((to - from) * heardMs) / Math.max(1, wholeMs))
  return Math.max(from, wordEnd(content, Math.min(reached, content.length)))
}
