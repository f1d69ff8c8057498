// Words about events that several parts of a session's page say in the same way.
import type { IconName } from '../ui/icon-names.ts'
import { countText } from '../ui/numbers.ts'

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

/** The answer to an approval: by whom, and how. */
export const answerWords = ({ actor, decision, arguments: given }: Payload): { icon: IconName; title: string } => {
  const answer = typeof decision === 'string' ? decision : 'approved'
  const who = typeof actor === 'string' && actor !== '' ? actor : 'Somebody'
  return {
    icon: answer === 'approved' ? 'shield-check' : 'ban',
    title: `${who} ${answer}${given ? ' with edits' : ''}`,
  }
}
