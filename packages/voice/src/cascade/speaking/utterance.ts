import { SentenceCutter, type SpokenPart } from '../text/sentences.ts'

export interface Utterance extends SpokenPart {
  readonly runId: string
  /** The line's own words, not part of the answer. */
  readonly isNotice: boolean
}

/** Times are in milliseconds of the line's total audio. */
export interface SentSpeech {
  readonly utterance: Utterance
  readonly item: string
  readonly startMs: number
  endMs: number
  /** `complete`: all audio was sent. `broken`: no more will come. */
  state: 'coming' | 'complete' | 'broken'
}

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
