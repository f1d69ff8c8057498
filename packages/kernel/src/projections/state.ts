import { isEventType } from '@bridle/events/catalogue'
import type { SessionStatus } from '@bridle/events/schemas'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent, Event } from '../event.ts'
import { applyToState } from '../state-operations.ts'
import { type Approval, type Approvals, approvals, isOfAttempt, isRunnersQuestion } from './approvals.ts'
import { type ChildApprovals, childApprovals } from './child-approvals.ts'
import { conversationOperations, emptyConversation } from './conversation.ts'
import { type Course, course } from './course.ts'
import { type Delegations, delegations } from './delegations.ts'
import { type Feedback, feedback } from './feedback.ts'
import { type Governance, governance } from './governance.ts'
import type { HarnessState } from './harness-state.ts'
import { healthFold, withActivity, withAudit } from './health/health.ts'
import type { HealthFold } from './health/health-state.ts'
import { type Artifacts, artifacts } from './indexes/artifacts.ts'
import { type AuditSeqs, audit } from './indexes/audit.ts'
import { type Channel, channel } from './indexes/channel.ts'
import { type Checkpoints, checkpoints } from './indexes/checkpoints.ts'
import { type ResumePoints, resumePoints } from './indexes/resume-points.ts'
import { type Subagents, subagents } from './indexes/subagents.ts'
import { lifecycle, withFrame, withLostFact } from './lifecycle.ts'
import type { Lifecycle, Run } from './lifecycle-state.ts'
import { type ListenerState, listening } from './listening.ts'
import { type Memory, memory } from './memory.ts'
import { fold } from './projection.ts'
import { type Notices, notices } from './reports/notices.ts'
import { type Steps, steps, withStepsLeft } from './reports/steps.ts'
import { type Usage, usage } from './reports/usage.ts'

export interface SessionState {
  readonly head: number
  readonly at: number
  readonly conversation: HarnessState
  readonly lifecycle: Lifecycle
  readonly approvals: Approvals
  readonly childApprovals: ChildApprovals
  readonly checkpoints: Checkpoints
  readonly health: HealthFold
  readonly resumePoints: ResumePoints
  readonly artifacts: Artifacts
  readonly subagents: Subagents
  readonly delegations: Delegations
  readonly channel: Channel
  readonly audit: AuditSeqs
  readonly course: Course
  readonly memory: Memory
  readonly listening: ListenerState
  readonly feedback: Feedback
  readonly governance: Governance
  readonly usage: Usage
  readonly steps: Steps
  readonly notices: Notices
}

export const emptyState: SessionState = {
  head: 0,
  at: 0,
  conversation: emptyConversation,
  lifecycle: lifecycle.initial,
  approvals: approvals.initial,
  childApprovals: childApprovals.initial,
  checkpoints: checkpoints.initial,
  health: healthFold.initial,
  resumePoints: resumePoints.initial,
  artifacts: artifacts.initial,
  subagents: subagents.initial,
  delegations: delegations.initial,
  channel: channel.initial,
  audit: audit.initial,
  course: course.initial,
  memory: memory.initial,
  listening: listening.initial,
  feedback: feedback.initial,
  governance: governance.initial,
  usage: usage.initial,
  steps: steps.initial,
  notices: notices.initial,
}

/** Events of unknown types only move the head. */
export const evolve = (state: SessionState, event: Event): SessionState =>
  evolveWith(state, event as AnyEvent, conversationOperations(state.conversation, event as AnyEvent))

/** For long logs without intermediate states: one `owned` set lets the conversation change in place, so folding is linear. */
export const evolveInPlace = (state: SessionState, event: Event, owned: Set<object>): SessionState =>
  evolveWith(state, event as AnyEvent, conversationOperations(state.conversation, event as AnyEvent), owned)

/** For callers that need the conversation's operations too, so that they are computed once. */
export const evolveWith = (
  state: SessionState,
  event: AnyEvent,
  operations: readonly DeltaOperation[],
  owned?: Set<object>,
): SessionState => {
  const next = {
    ...state,
    head: event.seq,
    at: event.at,
    lifecycle: withFrame(state.lifecycle, event),
    health: withActivity(state.health, event),
  }
  if (!isEventType(event.type)) return next
  if (event.hearsay) return { ...next, lifecycle: withLostFact(next.lifecycle, event) }
  next.conversation = applyToState(state.conversation, operations, owned)
  next.lifecycle = fold(lifecycle, next.lifecycle, event)
  next.approvals = fold(approvals, state.approvals, event)
  next.childApprovals = fold(childApprovals, state.childApprovals, event)
  next.checkpoints = fold(checkpoints, state.checkpoints, event)
  next.health = withAudit(fold(healthFold, next.health, event), event)
  next.resumePoints = fold(resumePoints, state.resumePoints, event)
  next.artifacts = fold(artifacts, state.artifacts, event)
  next.subagents = fold(subagents, state.subagents, event)
  next.delegations = fold(delegations, state.delegations, event)
  next.channel = fold(channel, state.channel, event)
  next.audit = fold(audit, state.audit, event)
  next.course = fold(course, state.course, event)
  next.memory = fold(memory, state.memory, event)
  next.listening = fold(listening, state.listening, event)
  next.feedback = fold(feedback, state.feedback, event)
  next.governance = fold(governance, state.governance, event)
  next.usage = fold(usage, state.usage, event)
  next.steps = fold(steps, withStepsLeft(state.steps, event, state.at), event)
  next.notices = fold(notices, state.notices, event)
  return next
}

/** Derived from facts, so that it cannot contradict them. */
export const statusOf = ({ lifecycle: life, approvals: { open } }: SessionState): SessionStatus => {
  const { run } = life
  if (run?.phase === 'cancelling') return life.kind === 'background' ? 'cancelled' : 'idle'
  if (!run && life.kind === 'background' && life.lastTurnStatus && life.queue.length === 0) return life.lastTurnStatus
  if (life.paused) return 'paused'
  if (Object.values(open).some((approval) => isAwaited(approval, run))) return 'awaiting_approval'
  if (run?.awaitsSandbox && (run.phase === 'requested' || run.phase === 'started')) return 'queued'
  if (run) return run.phase === 'waiting' || run.phase === 'parked' ? 'recovering' : 'running'
  if (life.queue.length > 0) return 'queued'
  return life.lastTurnStatus === 'failed' ? 'failed' : 'idle'
}

/** A runner's question blocks its attempt; a question of the kernel blocks the session. */
const isAwaited = (approval: Approval, run: Run | null): boolean =>
  !isRunnersQuestion(approval) || (run?.phase === 'started' && isOfAttempt(approval, run))

/** Only background sessions end. */
export const isTerminal = (state: SessionState): boolean => {
  const { kind, run, lastTurnStatus, queue } = state.lifecycle
  return kind === 'background' && !run && lastTurnStatus !== null && queue.length === 0
}

/** Has ended, or its end is certain. No more commands are accepted. */
export const isEnding = (state: SessionState): boolean =>
  isTerminal(state) || (state.lifecycle.kind === 'background' && state.lifecycle.run?.phase === 'cancelling')
