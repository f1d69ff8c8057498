// Text on its way to a listener, and its audio as far as it was sent.
import { SentenceCutter, type SpokenPart } from '../text/sentences.ts'

/** Words that are spoken at once: a part of the answer of a run, or a notice about the run. */
export interface Utterance extends SpokenPart {
  readonly runId: string
  /** The words are the line's own, and not in the answer. */
  readonly isNotice: boolean
}

/** The audio of an utterance. Times are milliseconds of all the audio of the line. */
export interface SentSpeech {
  readonly utterance: Utterance
  /** The name under which the client got it. */
  readonly item: string
  readonly startMs: number
  endMs: number
  /** `complete`: all of its audio was sent. `broken`: no more of it comes. */
  state: 'coming' | 'complete' | 'broken'
}

/** Splits a long notice, such as a question, into sentences. */
export const noticesOf = (runId: string, text: string): readonly Utterance[] => {
  const cutter = new SentenceCutter()
  return [...cutter.write(text), ...cutter.flush()].flatMap(({ words }) =>
    words === '' ? [] : [noticeOf(runId, words)],
  )
}

export const noticeOf = (runId: string, words: string): Utterance => ({
  ...{ runId, words, from: 0, to: 0 },
  ...{ isWhole: true, isNotice: true },
})
