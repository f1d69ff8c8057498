// How far a tour is, told by its session and the branches of it: a reload or another tab shows the same.
import type { ChatSession, CheckpointSummary, SessionRow, SessionTree } from 'bridle/client'
import type { IconName } from '../ui/icon-names.ts'

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
  /** The session that the tour began with, also where a branch of it is shown. */
  readonly tour: Pick<ChatSession, 'id' | 'messages' | 'checkpoints'>
  readonly sessions: readonly Pick<SessionRow, 'parent_session_id' | 'branch_source_event_id'>[]
  readonly hasSeenHealth: boolean
}

export const passedStops = ({ tour, sessions, hasSeenHealth }: TourFacts): ReadonlySet<TourStop> => {
  const answers = tour.messages.filter(({ role }) => role === 'assistant')
  const calls = answers.flatMap(({ toolCalls = [] }) => toolCalls)
  const checkpoint = tourCheckpoint(tour)
  const facts: { readonly [stop in TourStop]: boolean } = {
    stream: answers.some(({ content }) => content !== ''),
    tool: calls.some(({ outcome }) => outcome === 'ok'),
    checkpoint: checkpoint !== undefined,
    approval: calls.some(({ approval }) => approval?.status === 'approved' || approval?.status === 'denied'),
    health: hasSeenHealth,
    branch: sessions.some(
      (row) => row.parent_session_id === tour.id && row.branch_source_event_id === checkpoint?.event_id,
    ),
  }
  return new Set(tourStops.flatMap(({ stop }) => (facts[stop] ? [stop] : [])))
}

/** The checkpoint that the script writes: the tour branches from this one. */
export const tourCheckpoint = ({ checkpoints }: Pick<ChatSession, 'checkpoints'>): CheckpointSummary | undefined =>
  checkpoints.find(({ checkpoint_type: type }) => type === 'step')

/** The sessions that go with the tour: all of its tree, the one on the page last. */
export const tourSessions = ({ sessions }: Pick<SessionTree, 'sessions'>, shown: string): readonly string[] => {
  const ids = sessions.filter(({ visible }) => visible).map(({ id }) => id)
  return [...ids.filter((id) => id !== shown), shown]
}
