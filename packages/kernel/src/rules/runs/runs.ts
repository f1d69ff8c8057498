// Every run has exactly one `turn_end`, and nothing after it.

import { type Json, present } from '@bridle/events/json'
import { PREVIEW_CHARS, QUEUED_PROMPT_CHARS_MAX, SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import { OUTCOME_TYPES } from '@bridle/events/schemas'
import type { Answers, Command, RunFailure } from '../../commands.ts'
import { eventId } from '../../event.ts'
import { messageIdOf, runIdOf, runSeq } from '../../ids.ts'
import { cursorText } from '../../positions/cursor.ts'
import { isRunnersQuestion } from '../../projections/approvals.ts'
import { isTaskOver } from '../../projections/indexes/subagents.ts'
import type { Run } from '../../projections/lifecycle-state.ts'
import { truncate, truncateAtWord } from '../../text/truncate.ts'
import { cancelApprovals } from '../approvals/approval-settlement.ts'
import { askAboutUnsafe } from '../approvals/operator-questions.ts'
import { publishArtifact } from '../artifacts.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { resumeHandleOf } from './resumption.ts'
import { publishTaskGraph } from './task-graph.ts'

/** Delay of the first retry, doubled up to RETRY_MAX_MS. */
export const RETRY_BASE_MS = 1_000
export const RETRY_MAX_MS = 60_000
/** Larger results become artifacts, since rows have a limit. */
export const RESULT_CHARS_MAX = 500_000
/** After five interruptions that each exceed the engine's patience, this is an outage. */
export const INTERRUPTED_ATTEMPTS_MAX = 5

export const startNextRun = (w: DecisionBuilder): void => {
  const { created, paused, queue, run } = w.state.lifecycle
  if (!created || paused) return
  if (run) {
    const asked = Object.values(w.state.approvals.open).some((approval) => !isRunnersQuestion(approval))
    if (run.phase === 'parked' && run.stopRequestedAt === null && !asked) requestRun(w, run.runId, run.attempt + 1)
    return
  }
  const next = queue[0]
  if (next) requestRun(w, next.runId, 1)
}

export const requestRun = (w: DecisionBuilder, runId: string, attempt: number): void => {
  if (isExpired(w)) return failExpired(w)
  const { handles, queue } = w.state.lifecycle
  if (w.run?.durable) {
    w.add('run_requested', { run_id: runId, attempt, resume: null, continues: w.run.continues ?? w.run.attempt })
    return
  }
  const prompt = queue.find((each) => each.runId === runId)
  const own = w.run && resumeHandleOf(w)
  if (w.run && own) {
    const { attempt: stopped, continues } = w.run
    const kept_chars = answerText(w).length
    w.add('run_requested', { run_id: runId, attempt, resume: own, continues: continues ?? stopped, kept_chars })
    return
  }
  if (w.run?.hasOutput) w.addToRun('output_superseded', { run_id: runId, attempt: w.run.attempt })
  const before = handles.findLast((each) => each.runId !== runId)
  w.add('run_requested', { run_id: runId, attempt, resume: before?.handle ?? null })
  if (prompt) w.addToRun('turn_start', { turn_id: runId, prompt: prompt.text, message_id: messageIdOf(w.nextSeq) })
}

/** Only transient failures of background work are retried. */
export const failRun = (w: DecisionBuilder, failure: RunFailure): void => {
  const { run } = w
  const { kind, maxRetries, attempts } = w.state.lifecycle
  if (!run) return
  if (kind === 'background' && failure.transient && !run.durable && askAboutUnsafe(w, 'its run ended')) {
    settleToolCalls(w, 'error', 'interrupted')
    w.addToRun('run_parked', { run_id: run.runId, attempt: run.attempt, reason: 'unknown_outcome', stop: false })
    return
  }
  // Expired work fails as expired even if retries are left.
  if (kind === 'background' && failure.transient && isExpired(w)) return failExpired(w)
  if (kind === 'background' && failure.transient && attempts <= maxRetries) {
    if (!run.durable) settleToolCalls(w, 'error', failure.reason ?? 'interrupted')
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** (attempts - 1))
    w.addToRun('retry_scheduled', {
      run_id: run.runId,
      attempt: attempts + 1,
      due: w.now + delayMs,
      reason: failure.message,
      ...(failure.reason === 'crash_loop' && { code: 'crash_loop' }),
    })
    return
  }
  endTurn(w, 'failed', failure)
}

/** Lets an interrupted run continue from its handle, as after a pause. False if not possible, or interrupted too often. */
export const keepInterruptedRun = (w: DecisionBuilder, handle: string): boolean => {
  const { run } = w
  if (run?.phase !== 'started' || run.durable || run.attempt >= INTERRUPTED_ATTEMPTS_MAX || isExpired(w)) return false
  recordResumeHandle(w, handle)
  askAboutUnsafe(w, 'its run was interrupted', true)
  settleToolCalls(w, 'error', 'interrupted')
  w.addToRun('run_parked', { run_id: run.runId, attempt: run.attempt, reason: 'restart', stop: false })
  return true
}

/** Settles calls and approvals in the same batch, before the turn. */
export const endTurn = (
  w: DecisionBuilder,
  status: 'completed' | 'failed' | 'cancelled',
  end: Partial<RunFailure> & { readonly result?: Json } = {},
): void => {
  const { run } = w
  if (!run) return
  settleToolCalls(w, status === 'completed' ? 'ok' : 'error', end.reason ?? 'interrupted')
  cancelApprovals(w)
  const text = status === 'completed' ? answerText(w) : ''
  // Skip responses already reported, and those too long to store twice.
  if (text !== '' && !run.hasResponse && text.length <= RESULT_CHARS_MAX) w.addToRun('response', { text })
  // Also for stopped and failed turns: the next turn continues from their text.
  if (end.resume !== undefined) recordResumeHandle(w, end.resume)
  if (w.state.lifecycle.kind === 'background') {
    recordRun(w, run, status)
    publishTaskGraph(w, status)
    // Expiry writes its own checkpoint.
    if (end.reason !== 'expired') checkpoint(w, 'turn', status, end.message ?? (text || `The turn was ${status}.`))
  }
  if (status === 'completed') {
    w.addToRun('completed', { turn_id: run.runId, result: resultOrArtifact(w, end.result ?? text) })
  }
  if (status === 'failed') {
    w.addToRun('error', {
      turn_id: run.runId,
      message: end.message ?? 'The run failed.',
      ...present({ reason: end.reason, transient: end.transient }),
    })
  }
  if (status === 'completed' || (status === 'failed' && w.state.lifecycle.kind === 'chat')) requeueSteers(w)
  const { kind, queue } = w.state.lifecycle
  // Failed or cancelled background work drops its queue.
  if (kind === 'background' && status !== 'completed')
    for (const { runId } of queue) dropPrompt(w, runId, { reason: status })
  // Report which limit ended a durable run.
  const stop = status === 'failed' && run.durable && end.reason !== undefined ? { stop_reason: end.reason } : {}
  w.addToRun('turn_end', { turn_id: run.runId, status, ...stop, queued: w.state.lifecycle.queue.length })
}

export const cancel = (w: DecisionBuilder, command: Command & { type: 'cancel' }): Answers['cancel'] => {
  const { kind, queue, run } = w.state.lifecycle
  const isWaiting = w.state.course.wait !== null
  const target = command.runId ?? run?.runId ?? null
  const reason = command.reason ?? 'cancelled'
  const isCurrent = run !== null && target === run.runId
  const queued = queue.find(({ runId }) => runId === command.runId)

  // Acknowledge cancels of unknown or finished runs.
  if (command.runId !== undefined && !isCurrent && !queued) return { runId: target, cancelled: false }
  const isRunning = isCurrent && run.phase !== 'cancelling'
  const isWhole = kind === 'background' && command.runId === undefined && !run
  const dropped = command.queue || isWhole ? queue : queued ? [queued] : []
  const actor = command.actor === undefined ? {} : { actor: command.actor }
  // Log who cancelled queued prompts.
  if (!isRunning && dropped[0])
    w.add('cancel_requested', { run_id: queued?.runId ?? dropped[0].runId, reason, queued: dropped.length, ...actor })
  if (command.queue)
    for (const { runId } of queue) if (runId !== queued?.runId) dropPrompt(w, runId, { reason, ...actor })
  if (isRunning) {
    w.addToRun('cancel_requested', {
      run_id: run.runId,
      reason,
      ...(dropped.length > 0 && { queued: dropped.length }),
      ...actor,
    })
    settleToolCalls(w, 'error', 'interrupted')
    cancelApprovals(w)
    // No runner has the run, so nothing will confirm the stop.
    if (isWaiting || run.phase === 'waiting' || (run.phase === 'parked' && run.stopRequestedAt === null))
      endTurn(w, 'cancelled')
  } else if (queued || isWhole) {
    dropQueued(w, queued ? [queued.runId] : queue.map(({ runId }) => runId), { reason, ...actor })
  } else if (kind !== 'background' && !run && w.state.lifecycle.lastTurnStatus === 'failed') {
    w.add('failure_dismissed', command.actor === undefined ? {} : { actor: command.actor })
  }
  return { runId: target, cancelled: isCurrent || queued !== undefined || w.events.length > 0 }
}

const dropQueued = (w: DecisionBuilder, runIds: readonly string[], why: DropReason): void => {
  const isLast = w.state.lifecycle.queue.length === runIds.length && w.run === null
  if (w.state.lifecycle.kind === 'background' && isLast) publishTaskGraph(w, 'cancelled')
  for (const runId of runIds) dropPrompt(w, runId, why)
  const { kind, run, queue } = w.state.lifecycle
  const last = runIds.at(-1)
  // A background session is cancelled with its last prompt.
  if (kind === 'background' && !run && queue.length === 0 && last !== undefined) {
    w.add('turn_end', { turn_id: last, status: 'cancelled', queued: 0 })
  }
}

interface DropReason {
  readonly reason: string
  readonly actor?: string
}

export const dropPrompt = (w: DecisionBuilder, runId: string, why: DropReason): void => {
  const prompt = w.state.lifecycle.queue.find((each) => each.runId === runId)
  if (!prompt) return
  const { messageId, text } = prompt
  // A long prompt was truncated while it was queued.
  w.add('prompt_dropped', {
    run_id: runId,
    message_id: messageId,
    ...why,
    ...(text.length > QUEUED_PROMPT_CHARS_MAX && { text }),
  })
}

/** The runner has confirmed the abort or exceeded its deadline. */
export const completeStop = (w: DecisionBuilder, how: 'confirmed' | 'deadline', resume?: string): void => {
  const { run } = w
  if (!run || run.stopRequestedAt === null) return
  w.addToRun('run_stopped', { run_id: run.runId, attempt: run.attempt, how })
  // The handle from which this turn started would mean that the engine has done nothing since.
  const isOwn = resume !== run.resume || run.continues !== null
  // An engine may finish a step while stopping, which the log lacks: continue from the logged handle, behind which nothing is missing.
  if (resume !== undefined && isOwn && run.phase === 'parked' && !run.isAtHandle) recordResumeHandle(w, resume)
  if (run.failure) return endTurn(w, 'failed', { ...run.failure, ...(resume !== undefined && { resume }) })
  // The next turn must not start inside a cancelled attempt.
  if (run.phase === 'cancelling') endTurn(w, 'cancelled', resume === undefined || run.resumable ? {} : { resume })
}

/** Recorded as soon as it is known, so that the next attempt resumes there no matter why this one stops. */
export const recordResumeHandle = (w: DecisionBuilder, handle: string): void => {
  const { run } = w
  const known = w.state.lifecycle.handles.findLast((each) => each.runId === run?.runId)
  if (run && known?.handle !== handle) w.addToRun('resume_handle', { run_id: run.runId, handle })
}

/** Gives every open call its one outcome, and ends the attempt's tasks. */
export const settleToolCalls = (w: DecisionBuilder, status: 'ok' | 'error', reason: string): void => {
  if (status === 'error') settleTasks(w, reason)
  const waiting = new Set(Object.values(w.state.approvals.open).map((asked) => asked.toolCallId))
  for (const [tool_call_id, { name, agentId, served }] of Object.entries(w.state.lifecycle.tools)) {
    const denied = status === 'ok' && waiting.has(tool_call_id)
    // A runner that has finished has made its own calls, but does not know of the server's.
    const unknown = status === 'ok' && served && !denied
    const outcome = denied ? 'denied' : unknown ? 'error' : status
    const cause = unknown
      ? { reason: 'outcome_unknown', error: 'The turn ended before the call did. Its outcome is unknown.' }
      : { reason, error: `The call was ${denied ? 'not approved' : 'interrupted'}.` }
    w.addToRun('tool_outcome', {
      tool_call_id,
      tool_name: name,
      outcome_type: OUTCOME_TYPES[outcome],
      status: outcome,
      ...(outcome === 'ok' ? {} : cause),
      ...(agentId !== undefined && { agent_id: agentId }),
    })
  }
}

const settleTasks = (w: DecisionBuilder, reason: string): void => {
  for (const [agent_id, { status, runId }] of Object.entries(w.state.subagents)) {
    // Child sessions report their own end.
    if (runId !== w.run?.runId || isTaskOver(status) || Object.hasOwn(w.state.delegations, agent_id)) continue
    w.addToRun('subagent_event', { agent_id, status: 'cancelled', parent_session_id: w.key.id, reason })
  }
}

export const isExpired = (w: DecisionBuilder): boolean => {
  const { kind, expiresAt } = w.state.lifecycle
  return kind === 'background' && expiresAt !== null && w.now >= expiresAt
}

/** Expiry is a checkpoint of a failed session, not a status. */
export const failExpired = (w: DecisionBuilder): void => {
  w.add('session_checkpoint', {
    session_id: w.key.id,
    sequence: w.state.checkpoints.count + 1,
    checkpoint_type: 'expired',
    status: 'failed',
    summary_text: expiryText(w),
    resume_cursor: null,
  })
  if (w.run) return endTurn(w, 'failed', { message: 'The session expired.', reason: 'expired' })
  const { queue } = w.state.lifecycle
  const turn_id = queue[0]?.runId ?? w.key.id
  publishTaskGraph(w, 'failed')
  w.add('error', { turn_id, message: 'The session expired.', reason: 'expired' })
  for (const { runId } of queue) dropPrompt(w, runId, { reason: 'expired' })
  w.add('turn_end', { turn_id, status: 'failed', queued: 0 })
}

const expiryText = ({ state: { lifecycle } }: DecisionBuilder): string => {
  const { attempts, run } = lifecycle
  if (!run)
    return attempts === 0 ? 'The session expired before it could run.' : 'The session expired before its next turn.'
  return `The session expired after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}.`
}

/** Background work always publishes an artifact, since its readers come later. */
const resultOrArtifact = (w: DecisionBuilder, result: Json): Json => {
  const isText = typeof result === 'string'
  const text = isText ? result : JSON.stringify(result)
  const isLarge = text.length > RESULT_CHARS_MAX
  const isOutput = w.state.lifecycle.kind === 'background'
  if (text === '' || !(isLarge || isOutput)) return result
  const contentType = isText ? 'text/plain' : 'application/json'
  const name = isText ? 'result.txt' : 'result.json'
  const id = publishArtifact(w, { name, kind: isOutput ? 'final_output' : 'result', contentType, text })
  return isLarge ? { artifact_id: id, size: text.length, preview: truncate(text, PREVIEW_CHARS) } : result
}

const checkpoint = (w: DecisionBuilder, checkpoint_type: string, status: string, summary: string): void =>
  w.addToRun('session_checkpoint', {
    session_id: w.key.id,
    sequence: w.state.checkpoints.count + 1,
    checkpoint_type,
    status,
    summary_text: truncateAtWord(summary, SUMMARY_CHARS_MAX),
    resume_cursor: cursorText('checkpoint', w.key.id, w.nextSeq),
  })

/** For readers who come after the stream has ended. */
const recordRun = (w: DecisionBuilder, run: Run, status: string): void => {
  const { tokens, costUsd } = w.state.health
  const record = {
    run_id: run.runId,
    session_id: w.key.id,
    agent: w.key.agent,
    status,
    attempt_count: w.state.lifecycle.attempts,
    first_event_id: eventId(runSeq(run.runId) ?? w.state.lifecycle.firstSeq),
    last_event_id: eventId(w.nextSeq - 1),
    session_tokens: tokens,
    session_cost_usd: costUsd,
    ended_at: new Date(w.now).toISOString(),
  }
  publishArtifact(w, {
    name: `${run.runId}.json`,
    kind: 'run_record',
    contentType: 'application/json',
    text: JSON.stringify(record),
  })
}

/** Queues steering prompts that came too late for their run. */
const requeueSteers = (w: DecisionBuilder): void => {
  for (const { messageId, text, input } of w.state.lifecycle.steers.toReversed()) {
    const files = input === undefined ? {} : { input }
    w.add('prompt_queued', { run_id: runIdOf(w.nextSeq), message_id: messageId, text, ...files, head: true })
  }
}

const answerText = (w: DecisionBuilder): string =>
  w.state.conversation.messages.findLast((each) => each.role === 'assistant' && each.runId === w.run?.runId)?.content ??
  ''
