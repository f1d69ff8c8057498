// The effects that should be active, computed from the state alone: a level, not an edge. The session compares them with the
// active ones after every commit and on open, so a crash between append and effect loses nothing.

import type { Key } from '../event.ts'
import type { ApprovalAnswer, Job, RunCourse } from '../ports/runner.ts'
import { type Approval, isOfAttempt, isRunnersQuestion } from '../projections/approvals.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import { answerMark } from '../projections/message-parts.ts'
import type { SessionState } from '../projections/state.ts'
import type { Suspicion } from '../session/run-gate.ts'
import { type ChildNotice, pendingNotice } from './children/child-notice.ts'
import { abandonedChildren } from './children/delegated-tasks.ts'
import { suspicionOf } from './runs/durable-runs.ts'

export type WantedEffect =
  | {
      readonly kind: 'run'
      readonly id: string
      readonly job: Job
      readonly started: boolean
      readonly suspicion?: Suspicion
    }
  | { readonly kind: 'abort'; readonly id: string; readonly job: Job }
  | { readonly kind: 'answer'; readonly id: string; readonly job: Job; readonly answer: ApprovalAnswer }
  | {
      readonly kind: 'steer'
      readonly id: string
      readonly job: Job
      readonly message: { messageId: string; text: string }
    }
  /** `seq`: the notice to record if the child does not exist. */
  | { readonly kind: 'cancel_child'; readonly id: string; readonly child: Key; readonly seq: number }
  | { readonly kind: 'tell_parent'; readonly id: string; readonly notice: ChildNotice }

export const wantedEffects = (key: Key, state: SessionState, epoch: number): readonly WantedEffect[] => {
  const notice = pendingNotice(key, state)
  const effects = [
    ...wantedRunEffects(key, state, epoch),
    ...abandonedChildren(key, state).map(
      (each) => ({ kind: 'cancel_child', id: `cancel_child:${each.child.id}`, ...each }) as const,
    ),
  ]
  return notice ? [...effects, { kind: 'tell_parent', id: `tell:${notice.seq}`, notice }] : effects
}

const wantedRunEffects = (key: Key, state: SessionState, epoch: number): readonly WantedEffect[] => {
  const { run, steers } = state.lifecycle
  if (!run) return []
  const attempt = `${run.runId}:${run.attempt}`
  if (run.stopRequestedAt !== null)
    return [{ kind: 'abort', id: `abort:${attempt}`, job: jobOf(key, state, run, epoch) }]
  if ((run.phase !== 'requested' && run.phase !== 'started') || state.course.wait !== null) return []
  const started = run.phase === 'started'
  const mine = jobOf(key, state, run, epoch)
  // Durable runs read answers and prompts from their job and log.
  const suspicion = run.durable ? suspicionOf(state) : null
  if (run.durable) return [{ kind: 'run', id: `run:${attempt}`, job: mine, started, ...(suspicion && { suspicion }) }]
  return [
    { kind: 'run', id: `run:${attempt}`, job: mine, started },
    ...(started
      ? undeliveredAnswers(state, run).map((answer) => ({
          kind: 'answer' as const,
          id: `answer:${answer.requestId}`,
          job: mine,
          answer,
        }))
      : []),
    ...(started && run.steerable
      ? steers.map((message) => ({ kind: 'steer' as const, id: `steer:${message.messageId}`, job: mine, message }))
      : []),
  ]
}

const undeliveredAnswers = (state: SessionState, run: Run): ApprovalAnswer[] =>
  Object.values(state.approvals.decided)
    .filter((each) => each.undelivered && isOfAttempt(each, run))
    .map(({ id, kind, toolCallId, decision, arguments: edited, approvedDigest, reason, isRefused }) => ({
      requestId: id,
      toolCallId,
      decision,
      arguments: edited ?? {},
      approvedDigest,
      reason,
      ...(isRefused && { isRefused }),
      ...((kind === 'unknown_outcome' || kind === 'question') && { kind }),
    }))

/** Whether the kept text of earlier attempts ends within a line. */
const isMidText = ({ conversation }: SessionState, { runId, keptChars }: Run): boolean => {
  if (keptChars === 0) return false
  const answer = conversation.messages.findLast((each) => each.role === 'assistant' && each.runId === runId)
  return answer !== undefined && answer.content[keptChars - 1] !== '\n'
}

export const jobOf = (key: Key, state: SessionState, run: Run, epoch: number): Job => {
  const open = Object.values(state.approvals.open).filter((each) => isRunnersQuestion(each) && isOfAttempt(each, run))
  const answers = undeliveredAnswers(state, run)
  const { parent } = state.lifecycle
  return {
    key,
    runId: run.runId,
    attempt: run.attempt,
    prompt: run.text,
    input: run.input ?? null,
    resume: run.resume,
    ...(run.continues !== null && { continues: { isMidText: isMidText(state, run), keptChars: run.keptChars } }),
    parent: parent && { tenant: key.tenant, agent: parent.agent, id: parent.id },
    settings: state.lifecycle.settings,
    ...(run.spoken && { spoken: true }),
    ...(state.lifecycle.kind === 'background' && { isBackground: true }),
    ...(state.lifecycle.delegation && { depth: state.lifecycle.delegation.depth }),
    epoch,
    handle: run.handle,
    frame: run.frame,
    ...(run.awaitsSandbox && { awaitsSandbox: true }),
    awaiting: [...open, ...answers].map((each) => each.toolCallId),
    ...(run.durable && { course: courseOf(state, run, open, answers) }),
  }
}

const courseOf = (
  { head, lifecycle, course, conversation }: SessionState,
  run: Run,
  open: readonly Approval[],
  answers: readonly ApprovalAnswer[],
): RunCourse => ({
  calls: lifecycle.tools,
  open,
  answers,
  steers: lifecycle.steers,
  kept: course.kept,
  written: answerMark(conversation, run.runId),
  since: course.cuts.at(-1)?.readFrom ?? 0,
  head,
  ...(run.continuesRun !== undefined && { continuesRun: run.continuesRun }),
})
