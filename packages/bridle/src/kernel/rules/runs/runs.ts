// The life of a run: requested, retried, cancelled, stopped, ended. Exactly one `turn_end`, and nothing after it.

import type { Answers, Command } from '../../commands.ts'
import { eventId } from '../../event.ts'
import { messageIdOf, runIdOf, runSeq } from '../../ids.ts'
import type { Json } from '../../json.ts'
import {
  PREVIEW_CHARS,
  QUEUED_PROMPT_CHARS_MAX,
  RESULT_CHARS_MAX,
  RETRY_BASE_MS,
  RETRY_MAX_MS,
  SUMMARY_CHARS_MAX,
} from '../../limits.ts'
import { cursorText } from '../../positions/cursor.ts'
import type { Run } from '../../projections/lifecycle.ts'
import { isTaskOver } from '../../projections/subagents.ts'
import { OUTCOME_TYPES } from '../../schemas.ts'
import { truncate } from '../../text/truncate.ts'
import { cancelApprovals } from '../approvals/approval-settlement.ts'
import { askAboutUnsafe } from '../approvals/operator-questions.ts'
import { publishArtifact } from '../artifacts.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { resumeHandleOf } from './resumption.ts'
import { publishTaskGraph } from './task-graph.ts'

/** Starts the next attempt, or the next prompt in the queue, when nothing stands in the way. */
export const startNextRun = (w: DecisionBuilder): void => {
  const { created, paused, queue, run } = w.state.lifecycle
  if (!created || paused) return
  if (run) {
    const asked = Object.values(w.state.approvals.open).some((approval) => approval.kind !== 'tool')
    if (run.phase === 'parked' && run.stopRequestedAt === null && !asked) requestRun(w, run.runId, run.attempt + 1)
    return
  }
  const next = queue[0]
  if (next) requestRun(w, next.runId, 1)
}

export const requestRun = (w: DecisionBuilder, runId: string, attempt: number): void => {
  if (isExpired(w)) return failExpired(w)
  const { handles, queue } = w.state.lifecycle
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

/** A transient failure of background work is tried again; everything else ends the turn. */
export const failRun = (
  w: DecisionBuilder,
  failure: { message: string; transient?: boolean; reason?: string; resume?: string },
): void => {
  const { run } = w
  const { kind, maxRetries, attempts } = w.state.lifecycle
  if (!run) return
  if (kind === 'background' && failure.transient && askAboutUnsafe(w, 'its run ended')) {
    settleToolCalls(w, 'error', 'interrupted')
    w.addToRun('run_parked', { run_id: run.runId, attempt: run.attempt, reason: 'unknown_outcome', stop: false })
    return
  }
  // What would be tried again has expired, though there were no try left.
  if (kind === 'background' && failure.transient && isExpired(w)) return failExpired(w)
  if (kind === 'background' && failure.transient && attempts <= maxRetries) {
    settleToolCalls(w, 'error', failure.reason ?? 'interrupted')
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** (attempts - 1))
    w.addToRun('retry_scheduled', {
      run_id: run.runId,
      attempt: attempts + 1,
      due: w.now + delayMs,
      reason: failure.message,
    })
    return
  }
  endTurn(w, 'failed', failure)
}

/** What runs out with the run is settled in the same batch: calls, approvals, then the turn itself. */
export const endTurn = (
  w: DecisionBuilder,
  status: 'completed' | 'failed' | 'cancelled',
  end: { message?: string; reason?: string; transient?: boolean; result?: Json; resume?: string } = {},
): void => {
  const { run } = w
  if (!run) return
  settleToolCalls(w, status === 'completed' ? 'ok' : 'error', end.reason ?? 'interrupted')
  cancelApprovals(w)
  const text = status === 'completed' ? answerText(w) : ''
  // What the runner said as its whole response is not said again, nor what is too long to be said twice.
  if (text !== '' && !run.hasResponse && text.length <= RESULT_CHARS_MAX) w.addToRun('response', { text })
  // Also of a turn that was stopped or failed: what was said in it is part of the conversation.
  if (end.resume !== undefined) recordResumeHandle(w, end.resume)
  if (w.state.lifecycle.kind === 'background') {
    recordRun(w, run, status)
    publishTaskGraph(w, status)
    // Whatever the engine tells of its steps, there is one for each turn. Expiry has one of its own.
    if (end.reason !== 'expired') checkpoint(w, 'turn', status, end.message ?? (text || `The turn was ${status}.`))
  }
  if (status === 'completed') {
    w.addToRun('completed', { turn_id: run.runId, result: resultOrArtifact(w, end.result ?? text) })
  }
  if (status === 'failed') {
    w.addToRun('error', {
      turn_id: run.runId,
      message: end.message ?? 'The run failed.',
      ...(end.reason !== undefined && { reason: end.reason }),
      ...(end.transient !== undefined && { transient: end.transient }),
    })
  }
  if (status === 'completed' || (status === 'failed' && w.state.lifecycle.kind === 'chat')) requeueSteers(w)
  const { kind, queue } = w.state.lifecycle
  // Background work that failed or was cancelled has ended as a whole; completed work goes on with its queue.
  if (kind === 'background' && status !== 'completed')
    for (const { runId } of queue) dropPrompt(w, runId, { reason: status })
  w.addToRun('turn_end', { turn_id: run.runId, status, queued: w.state.lifecycle.queue.length })
}

export const cancel = (w: DecisionBuilder, command: Command & { type: 'cancel' }): Answers['cancel'] => {
  const { kind, queue, run } = w.state.lifecycle
  const target = command.runId ?? run?.runId ?? null
  const reason = command.reason ?? 'cancelled'
  const isCurrent = run !== null && target === run.runId
  const queued = queue.find(({ runId }) => runId === command.runId)

  // A stale name is acknowledged and does nothing.
  if (command.runId !== undefined && !isCurrent && !queued) return { runId: target, cancelled: false }
  const isRunning = isCurrent && run.phase !== 'cancelling'
  const isWhole = kind === 'background' && command.runId === undefined && !run
  const dropped = command.queue || isWhole ? queue : queued ? [queued] : []
  const actor = command.actor === undefined ? {} : { actor: command.actor }
  // Cancelling prompts that only wait is an operator’s act too: the log says who did it.
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
    // Nothing is at a runner: it ends here and now.
    if (run.phase === 'waiting' || (run.phase === 'parked' && run.stopRequestedAt === null)) endTurn(w, 'cancelled')
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
  // A background session with nothing left to do has been cancelled, and says so.
  if (kind === 'background' && !run && queue.length === 0 && last !== undefined) {
    w.add('turn_end', { turn_id: last, status: 'cancelled', queued: 0 })
  }
}

interface DropReason {
  readonly reason: string
  /** The person that cancelled it; absent = nobody said. */
  readonly actor?: string
}

export const dropPrompt = (w: DecisionBuilder, runId: string, why: DropReason): void => {
  const prompt = w.state.lifecycle.queue.find((each) => each.runId === runId)
  if (!prompt) return
  const { messageId, text } = prompt
  // A long one was shown in part while it waited.
  w.add('prompt_dropped', {
    run_id: runId,
    message_id: messageId,
    ...why,
    ...(text.length > QUEUED_PROMPT_CHARS_MAX && { text }),
  })
}

/** The runner is done with an aborted attempt, or has had its time. */
export const completeStop = (w: DecisionBuilder, how: 'confirmed' | 'deadline', resume?: string): void => {
  const { run } = w
  if (!run || run.stopRequestedAt === null) return
  w.addToRun('run_stopped', { run_id: run.runId, attempt: run.attempt, how })
  // A handle of the turn before, with which it began: nothing was done since.
  const isOwn = resume !== run.resume || run.continues !== null
  if (resume !== undefined && isOwn && run.phase === 'parked') recordResumeHandle(w, resume)
  if (run.failure) return endTurn(w, 'failed', { ...run.failure, ...(resume !== undefined && { resume }) })
  // A place in the attempt that was cancelled is none to begin the next turn from.
  if (run.phase === 'cancelling') endTurn(w, 'cancelled', resume === undefined || run.resumable ? {} : { resume })
}

/** As soon as it is known: whatever stops the run later, the next attempt goes on from there. */
export const recordResumeHandle = (w: DecisionBuilder, handle: string): void => {
  const { run } = w
  const known = w.state.lifecycle.handles.findLast((each) => each.runId === run?.runId)
  if (run && known?.handle !== handle) w.addToRun('resume_handle', { run_id: run.runId, handle })
}

/** Every started call gets exactly one outcome, and the tasks of an attempt that is stopped end with it. */
export const settleToolCalls = (w: DecisionBuilder, status: 'ok' | 'error', reason: string): void => {
  if (status === 'error') settleTasks(w, reason)
  const waiting = new Set(Object.values(w.state.approvals.open).map((asked) => asked.toolCallId))
  for (const [tool_call_id, { name }] of Object.entries(w.state.lifecycle.tools)) {
    const denied = status === 'ok' && waiting.has(tool_call_id)
    const outcome = denied ? 'denied' : status
    w.addToRun('tool_outcome', {
      tool_call_id,
      tool_name: name,
      outcome_type: OUTCOME_TYPES[outcome],
      status: outcome,
      ...(outcome === 'ok' ? {} : { reason, error: `The call was ${denied ? 'not approved' : 'interrupted'}.` }),
    })
  }
}

const settleTasks = (w: DecisionBuilder, reason: string): void => {
  for (const [agent_id, { status, runId }] of Object.entries(w.state.subagents)) {
    if (runId !== w.run?.runId || isTaskOver(status)) continue
    w.addToRun('subagent_event', { agent_id, status: 'cancelled', parent_session_id: w.key.id, reason })
  }
}

export const isExpired = (w: DecisionBuilder): boolean => {
  const { kind, expiresAt } = w.state.lifecycle
  return kind === 'background' && expiresAt !== null && w.now >= expiresAt
}

/** Expired is a checkpoint of a failed session, not a state of its own. */
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

/**
 * A result too large for one event is an artifact, and the event refers to it. Background work leaves every result as
 * one: whoever comes for it was not there when it was said.
 */
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
    summary_text: truncate(summary, SUMMARY_CHARS_MAX),
    resume_cursor: cursorText('checkpoint', w.key.id, w.nextSeq),
  })

/** What became of a run, to be found among the artifacts when the log is long gone from the screen. */
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

/** A steering prompt that was acknowledged and came too late for its run is the next prompt. */
const requeueSteers = (w: DecisionBuilder): void => {
  for (const { messageId, text } of w.state.lifecycle.steers.toReversed()) {
    w.add('prompt_queued', { run_id: runIdOf(w.nextSeq), message_id: messageId, text, head: true })
  }
}

const answerText = (w: DecisionBuilder): string =>
  w.state.conversation.messages.findLast((each) => each.role === 'assistant' && each.runId === w.run?.runId)?.content ??
  ''
