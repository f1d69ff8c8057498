// Captions of a dialogue: the person's words when they were understood, the agent's as they come.
import type { FabricVoiceEvent } from '../voice/options.ts'
import { CAPTIONS_MAX } from './limits.ts'

/** Words of either side. */
export interface VoiceCaption {
  /** Unique in its dialogue: the run and the speaker. */
  readonly id: string
  /** The speaker. */
  readonly role: 'user' | 'assistant'
  /** The words so far. */
  readonly text: string
  /** No more words come, as far as is known. */
  readonly isFinal: boolean
  /** The person interrupted: the text is the part that was heard. */
  readonly isInterrupted: boolean
}

type Words = Extract<FabricVoiceEvent, { type: 'text_delta' | 'transcript' }>

export const captionsAfter = (captions: readonly VoiceCaption[], event: Words): readonly VoiceCaption[] => {
  const { role, runId } = event
  const id = `${runId}/${role}`
  const before = captions.find((caption) => caption.id === id)
  const after: VoiceCaption =
    event.type === 'text_delta'
      ? { id, role, text: (before?.text ?? '') + event.delta, isFinal: false, isInterrupted: false }
      : { id, role, text: event.text, isFinal: true, isInterrupted: event.interrupted === true }
  const next = before ? captions.map((caption) => (caption === before ? after : caption)) : [...captions, after]
  return next.slice(-CAPTIONS_MAX)
}
