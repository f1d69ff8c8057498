// Words about events that several parts of a session's page say in the same way.

import { countText } from 'bridle/words'
import type { IconName } from '../ui/icon-names.ts'

interface Payload {
  readonly [name: string]: unknown
}

/** The numbers of a compaction that the engine reports. */
export const compactionNumbers = ({
  original_count: before,
  compacted_count: after,
  tokens_saved: saved,
  preserved_messages: kept,
}: Payload): readonly string[] => [
  ...(typeof before === 'number' && typeof after === 'number' ? [`${before} → ${after} messages`] : []),
  ...(typeof saved === 'number' ? [`${countText(saved)} tokens saved`] : []),
  ...(typeof kept === 'number' ? [`${kept} kept as they were`] : []),
]

interface AnswerWords {
  readonly icon: IconName
  readonly title: string
  /** The reason, unless the title has said it; empty = none. */
  readonly reason: string
}

/** The answer to an approval: by whom, and how; or why there will be none. */
export const answerWords = ({ actor, decision, reason, arguments: given }: Payload): AnswerWords => {
  const answer = typeof decision === 'string' ? decision : 'approved'
  const why = typeof reason === 'string' ? reason : ''
  const left = answer === 'cancelled' ? leftTitles.get(why) : undefined
  const unanswered = left ?? unansweredTitles.get(answer)
  if (unanswered !== undefined)
    return { icon: 'ban', title: unanswered, reason: left !== undefined || why === answer ? '' : why }
  const words = `${answer}${given ? ' with edits' : ''}`
  return {
    icon: answer === 'approved' ? 'shield-check' : 'ban',
    // A log without a name does not say who it was: it may well have been the reader.
    title:
      typeof actor === 'string' && actor !== ''
        ? `${actor} ${words}`
        : `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    reason: why,
  }
}

/** A cancelled approval by its reason: another session has the question, and nobody has answered it here. */
const leftTitles: ReadonlyMap<string, string> = new Map([
  ['branched', 'The approval stayed with the session that was branched'],
  ['imported', 'The approval stayed with the session that was exported'],
])

const unansweredTitles: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'The approval ended with its run'],
  ['expired', 'Nobody answered in time'],
  ['superseded', 'The approval was withdrawn'],
])
