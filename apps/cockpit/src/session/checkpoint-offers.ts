// The checkpoints of a session as actions, with the numbers that the thread shows.
import type { SessionDetail } from 'bridle/client'
import { foldScript } from '../ui/script-text.ts'

interface CheckpointOffer {
  readonly words: string
  readonly detail: string
  readonly eventId: string
}

/** Newest first, like the session's list. */
export const checkpointOffers = (checkpoints: SessionDetail['checkpoints']): CheckpointOffer[] =>
  checkpoints.map(({ sequence, summary_text: summary, event_id: eventId }) => ({
    words: `Branch from checkpoint ${sequence}`,
    detail: foldScript(summary),
    eventId,
  }))
