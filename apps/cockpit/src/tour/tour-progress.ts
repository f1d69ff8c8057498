// How far a tour is, told by its session alone: a reload or another tab shows the same.
import type { ChatSession } from 'bridle/client'
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
