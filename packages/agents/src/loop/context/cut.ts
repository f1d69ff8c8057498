// A cut: from there on the model reads a summary in place of the older part of its conversation, or no old tool results.
import type { Event } from '@bridle/kernel/event'
import { textMessage } from '../transcript/rendering.ts'
import type { Entry } from './entry.ts'

export interface Cut {
  readonly seq: number
  readonly run: string
  /** The first event of which the model sees everything; 0: nothing was replaced. */
  readonly keptFrom: number
  /** The first event of which a reader of the conversation needs to know. */
  readonly readFrom: number
  /** The first event of which the model sees tool results. */
  readonly clearedBefore: number
  readonly summary: string
  readonly artifacts: readonly string[]
  readonly resources: readonly string[]
  readonly tokensSaved: number
  /** The prompt of the turn, where it is older than the part that is kept. */
  readonly prompt: Entry | null
}

/** The cut of an event. `prompt` is that of the turn in which it was made. */
export const cutOf = ({ seq, run = '', payload }: Event<'context_compacted'>, prompt: Entry | null): Cut => {
  const { kept_from: keptFrom = 0, read_from: readFrom = keptFrom, cleared_before: clearedBefore = 0 } = payload
  return {
    ...{ seq, run, keptFrom, readFrom, clearedBefore },
    summary: payload.summary ?? '',
    artifacts: payload.artifacts ?? [],
    resources: payload.resources ?? [],
    tokensSaved: payload.tokens_saved ?? 0,
    prompt: prompt !== null && prompt.seq < keptFrom ? prompt : null,
  }
}

export const summaryEntry = (cut: Cut): Entry => ({
  kind: 'message',
  message: textMessage(summaryText(cut)),
  run: cut.run,
  seq: cut.seq,
  origin: cut.readFrom,
})

export const summaryText = ({ summary, artifacts, resources }: Pick<Cut, 'summary' | 'artifacts' | 'resources'>) =>
  [
    '[The older part of this conversation was replaced by this summary.]',
    summary,
    ...list('Artifacts so far:', artifacts),
    ...list('Resources touched so far:', resources),
  ].join('\n\n')

const list = (title: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [[title, ...names.map((name) => `- ${name}`)].join('\n')]
