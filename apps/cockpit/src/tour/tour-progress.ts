// How far a tour is, told by its session alone: a reload or another tab shows the same.
import type { ChatSession, SessionRow } from 'bridle/client'
import type { IconName } from '../ui/icon-names.ts'
import { TOUR_PREFIX } from './tour-script.ts'

export type TourStop = 'stream' | 'tool' | 'approval' | 'checkpoint' | 'branch' | 'health'

export const tourStops: readonly { readonly stop: TourStop; readonly word: string; readonly icon: IconName }[] = [
  { stop: 'stream', word: 'Text streams', icon: 'message-square' },
  { stop: 'tool', word: 'A tool runs', icon: 'wrench' },
  { stop: 'checkpoint', word: 'A checkpoint', icon: 'flag' },
  { stop: 'approval', word: 'You approve a call', icon: 'shield-alert' },
  { stop: 'health', word: 'Health and cost', icon: 'activity' },
  { stop: 'branch', word: 'You branch from it', icon: 'git-branch' },
]

interface TourFacts {
  readonly detail: Pick<ChatSession, 'messages' | 'checkpoints' | 'approvals' | 'branch_source_event_id'>
  readonly hasSeenHealth: boolean
  readonly hasBranch: boolean
}

export const passedStops = ({ detail, hasSeenHealth, hasBranch }: TourFacts): ReadonlySet<TourStop> => {
  const answers = detail.messages.filter(({ role }) => role === 'assistant')
  const calls = answers.flatMap(({ toolCalls = [] }) => toolCalls)
  const facts: { readonly [stop in TourStop]: boolean } = {
    stream: answers.some(({ content }) => content !== ''),
    tool: calls.some(({ outcome }) => outcome === 'ok'),
    checkpoint: detail.checkpoints.some(({ checkpoint_type }) => checkpoint_type === 'step'),
    // A branch begins before the question that its first session was asked.
    approval:
      detail.branch_source_event_id !== null ||
      calls.some(({ approval }) => approval !== undefined && approval.status !== 'pending'),
    health: hasSeenHealth,
    branch: hasBranch || detail.branch_source_event_id !== null,
  }
  return new Set(tourStops.flatMap(({ stop }) => (facts[stop] ? [stop] : [])))
}

/** The sessions of this tour, by id: the one it began with and its branches. Others on the server may take the tour too. */
export const tourFamily = (
  { id, parent_session_id: parent }: Pick<ChatSession, 'id' | 'parent_session_id'>,
  sessions: readonly Pick<SessionRow, 'id' | 'parent_session_id'>[],
): readonly string[] => {
  const first = parent ?? id
  const listed = sessions.filter((row) => row.id === first || row.parent_session_id === first).map((row) => row.id)
  return [...new Set([...listed, id])].filter((each) => each.startsWith(TOUR_PREFIX))
}
