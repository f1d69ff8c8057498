// Pause, resume, expiry, policy, branch, and the passing of time.
import { type Answers, type Command, type Refusal, refuse } from '../commands.ts'
import { BRANCHED, eventId } from '../event.ts'
import { ABORT_GRACE_MS, PREVIEW_CHARS, SUMMARY_CHARS_MAX } from '../limits.ts'
import { cursorText } from '../positions/cursor.ts'
import { isEnding, type SessionState } from '../projections/state.ts'
import { OUTCOME_TYPES } from '../schemas.ts'
import { truncate } from '../text/truncate.ts'
import { applied } from './approvals/approval-settlement.ts'
import { expireApprovals, withdrawBudgetQuestions } from './approvals/approvals.ts'
import { askAboutUnsafe } from './approvals/operator-questions.ts'
import { publishArtifact } from './artifacts.ts'
import { grantBudget } from './budgets/granted-budget.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { canExpire } from './due-time.ts'
import { checkPrompt, type PromptOptions, queuePrompt } from './prompts.ts'
import { completeStop, failExpired, isExpired, requestRun, settleToolCalls } from './runs/runs.ts'

export const pause = (
  w: DecisionBuilder,
  { reason, actor }: Command & { type: 'pause' },
): Answers['pause'] | Refusal => {
  const { paused } = w.state.lifecycle
  if (isEnding(w.state)) return refuse('session_ended')
  if (paused) return refuse('already_paused')
  w.add('session_paused', { ...reasonAndActor({ reason, actor }), operator: true })
  parkRun(w, 'paused')
  return { paused: true }
}

/** Stops the attempt and keeps the run. Open approvals stay: an answer given meanwhile serves the next attempt. */
export const parkRun = (w: DecisionBuilder, reason: 'paused' | 'budget' | 'restart'): void => {
  const { run } = w
  if (!run || run.phase === 'cancelling' || run.phase === 'parked') return
  askAboutUnsafe(w, 'its run was stopped', true)
  settleToolCalls(w, 'error', 'interrupted')
  const stop = run.phase === 'requested' || run.phase === 'started'
  w.addToRun('run_parked', { run_id: run.runId, attempt: run.attempt, reason, stop })
}

export const resume = (
  w: DecisionBuilder,
  { reason, actor }: Command & { type: 'resume' },
): Answers['resume'] | Refusal => {
  const { paused } = w.state.lifecycle
  if (isEnding(w.state)) return refuse('session_ended')
  if (!paused) return refuse('not_paused')
  w.add('session_resumed', reasonAndActor({ reason, actor }))
  // Who resumes a session that is over its budget grants it more; without, it would run on with no limit. Where that very
  // question is open, it is still to be answered.
  if (!Object.values(w.state.approvals.open).some(({ kind }) => kind === 'budget')) grantBudget(w)
  return { paused: false }
}

/** A question about a limit that is no longer in force is withdrawn; where the new one is crossed too, another follows. */
export const setPolicy = (
  w: DecisionBuilder,
  { policy, reason, actor }: Command & { type: 'set_policy' },
): Answers['set_policy'] => {
  w.add('policy_set', { policy, ...reasonAndActor({ reason, actor }) })
  withdrawBudgetQuestions(w, 'The policy was changed.')
  return {}
}

/** The process ends, and the run would end with it: the next process goes on with it, and that costs no retry. */
export const handOver = (w: DecisionBuilder, _command: Command & { type: 'hand_over' }): Answers['hand_over'] => {
  // A chat's run is never started again unasked.
  if (w.state.lifecycle.kind === 'background' && w.run?.phase === 'started') parkRun(w, 'restart')
  return {}
}

export const expire = (w: DecisionBuilder, _command: Command & { type: 'expire' }): Answers['expire'] | Refusal => {
  if (isEnding(w.state)) return refuse('session_ended')
  if (!isExpired(w)) return refuse('not_expired')
  expireWork(w)
  return {}
}

/** Whatever is due by now. The order matters: what expired must not be retried. */
export const tick = (w: DecisionBuilder): Answers['tick'] => {
  expireApprovals(w)
  const { run } = w
  if (run && run.stopRequestedAt !== null && w.now >= run.stopRequestedAt + ABORT_GRACE_MS) completeStop(w, 'deadline')
  expireWork(w)
  if (w.run?.phase === 'waiting' && w.run.retryAt !== null && w.now >= w.run.retryAt && !w.state.lifecycle.paused) {
    requestRun(w, w.run.runId, w.run.attempt + 1)
  }
  return {}
}

const expireWork = (w: DecisionBuilder): void => {
  if (!isExpired(w) || !canExpire(w.state)) return
  // Its runner has to let go first; the next attempt is then refused as expired.
  if (w.run?.phase === 'started') parkRun(w, 'paused')
  else failExpired(w)
}

export const promiseBranch = (
  _w: DecisionBuilder,
  { childId }: Command & { type: 'promise_branch' },
): Answers['promise_branch'] => ({
  childId,
})

/** The first command of a child: the state is its parent's at the branch point, and comes to rest here. */
export const branch = (w: DecisionBuilder, command: Command & { type: 'branch' }): Answers['branch'] | Refusal => {
  const { parent, title, settings, artifacts = [], owner } = command
  if (w.state.head !== parent.seq) return refuse(w.state.lifecycle.created ? 'session_exists' : 'bad_branch_point')
  const next = nextBranchPrompt(w, command)
  if (next && 'refused' in next) return next
  const { kind } = w.state.lifecycle
  const before = w.state
  const cursor = command.cursor ?? cursorText('branch', parent.id, parent.seq)
  w.add('branched', {
    parent,
    kind,
    ...(owner !== undefined && { owner }),
    source_event_id: eventId(parent.seq),
    resume_cursor: cursor,
    ...(title !== undefined && { title }),
    ...(settings && { settings }),
    ...reasonAndActor(command),
  })
  endParentTurn(w, before)
  for (const each of artifacts) publishArtifact(w, each)
  w.add('session_checkpoint', {
    session_id: w.key.id,
    sequence: w.state.checkpoints.count + 1,
    checkpoint_type: 'resume_seed',
    status: 'completed',
    ...resumeSeed(w, `Branched from ${parent.id} at ${eventId(parent.seq)}.`),
    resume_cursor: cursor,
  })
  const queued = next ? queuePrompt(w, next.prompt, next) : {}
  return { sessionId: w.key.id, parent: { ...parent }, ...queued }
}

/**
 * A turn that was under way in the parent ends here: its calls have an outcome, its approvals an answer, and it has an end. The
 * fold knows that nothing of the parent is open in a branch; a client that only hears what is said has to be told.
 */
const endParentTurn = (w: DecisionBuilder, { lifecycle: { run, tools }, approvals: { open } }: SessionState): void => {
  const left = run && { run: run.runId, attempt: run.attempt }
  for (const [tool_call_id, { name }] of left ? Object.entries(tools) : [])
    w.addToOtherRun(left, 'tool_outcome', {
      ...{ tool_call_id, tool_name: name, status: 'error', outcome_type: OUTCOME_TYPES.error },
      ...{ reason: BRANCHED, error: 'The call was interrupted.' },
    })
  for (const asked of Object.values(open))
    w.addToOtherRun(left, 'approval_applied', applied(asked, 'cancelled', { reason: BRANCHED }))
  if (!left) return
  w.addToOtherRun(left, 'turn_end', { turn_id: left.run, status: 'cancelled', stop_reason: BRANCHED, queued: 0 })
}

/** What a reader needs to know where the branch goes on, without the history: what was asked last, and what was answered. */
const resumeSeed = ({ state: { conversation } }: DecisionBuilder, where: string) => {
  const at = conversation.messages.findLastIndex(({ role }) => role === 'user')
  const prompt = conversation.messages[at]?.content.trim() ?? ''
  const answer =
    conversation.messages
      .slice(at)
      .findLast(({ role }) => role === 'assistant')
      ?.content.trim() ?? ''
  const quotes = [
    prompt && ` Asked: ${truncate(prompt, SUMMARY_CHARS_MAX)}`,
    answer && ` Answered: ${truncate(answer, SUMMARY_CHARS_MAX)}`,
  ]
  return {
    summary_text: [where, ...quotes].join(''),
    ...(prompt && { last_prompt: truncate(prompt, PREVIEW_CHARS) }),
    ...(answer && { last_answer: truncate(answer, PREVIEW_CHARS) }),
  }
}

/** What a branch that does not rest goes on with. */
const nextBranchPrompt = (
  w: DecisionBuilder,
  { prompt, actor }: Command & { type: 'branch' },
): (PromptOptions & { prompt: string }) | Refusal | null => {
  if (prompt === undefined) return null
  if (prompt !== null) return checkPrompt(w, prompt, true) ?? { prompt, actor }
  const asked = w.state.conversation.messages.findLast(({ role }) => role === 'user')
  return asked
    ? { prompt: asked.content, input: asked.input, actor }
    : refuse('bad_branch_point', 'Nothing was asked before that event.')
}

/** Who wanted it, and why, as far as either was said. */
const reasonAndActor = ({
  reason,
  actor,
}: {
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}) => ({
  ...(reason !== undefined && { reason }),
  ...(actor !== undefined && { actor }),
})
