// Drops repeated reports and reports of other runs or attempts.

import { catalogue, isEventType } from '@bridle/events/catalogue'
import { canonicalJson, hashText, type Json, type JsonObject, ownProperty, present } from '@bridle/events/json'
import { INLINE_CHARS_MAX, PREVIEW_CHARS } from '@bridle/events/limits'
import { OUTCOME_TYPES, type Payloads } from '@bridle/events/schemas'
import type { Answers, ReportItem, RunReport } from '../commands.ts'
import { customEventProblem } from '../custom-event.ts'
import { directiveProblem } from '../directive.ts'
import type { AnyEventDraft } from '../event.ts'
import { withCallId } from '../ids.ts'
import { cursorText } from '../positions/cursor.ts'
import { answerMark, answerOf, thoughtChars } from '../projections/message-parts.ts'
import { instructionMarks, NO_INSTRUCTIONS } from '../projections/reports/notices.ts'
import { truncate } from '../text/truncate.ts'
import { defaultSandboxNotice, hasWorkspace, turnRuntimeDecision } from '../views/turn-runtime.ts'
import { requestApproval, withdrawQuestion } from './approvals/approvals.ts'
import { failUnapprovedCall, hasActed, isUnapprovedCall } from './approvals/unapproved-calls.ts'
import { publishArtifact } from './artifacts.ts'
import { isOverBudget, reportsNewWork, stopOverBudget } from './budgets/budgets.ts'
import { agentOfCall, agentOfNewCall } from './call-agents.ts'
import { delegateTasks } from './children/delegated-tasks.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { setMemory } from './memory.ts'
import { letRunWait, resumeRun, supersedeText } from './runs/durable-runs.ts'
import { completeStop, endTurn, failRun, keepInterruptedRun, recordResumeHandle } from './runs/runs.ts'
import { publishTaskGraph } from './runs/task-graph.ts'

export const report = (w: DecisionBuilder, report: RunReport): Answers['report'] => {
  const isCurrent = () => w.run !== null && w.run.runId === report.runId && w.run.attempt === report.attempt
  if (!isCurrent()) return { dropped: 'run' }
  if (w.frame !== null && w.run && w.frame <= w.run.frame) return { dropped: 'frame' }
  if (isStarted(w) && report.items.some(reportsNewWork) && isOverBudget(w)) {
    // Keep finished work of a durable run: its next attempt does not repeat it.
    for (const item of w.run?.durable ? finishedWork(report.items) : []) handle(w, item)
    // Drop the rest, including the frame and an end in the same report.
    w.frame = null
    stopOverBudget(w)
    return { dropped: 'budget' }
  }
  if (isStopped(w) && !report.items.some((item) => isAcceptedAfterStop(w, item))) return { dropped: 'stopped' }
  for (const item of report.items) if (isCurrent()) handle(w, item)
  return {}
}

const handle = (w: DecisionBuilder, item: ReportItem): void =>
  (itemHandlers[item.type] as (w: DecisionBuilder, item: ReportItem) => void)(w, item)

/** Everything up to the last finished step, and items that are not new work. */
const finishedWork = (items: readonly ReportItem[]): readonly ReportItem[] => {
  const step = items.findLastIndex((item) => item.type === 'event' && item.event.type === 'model_step')
  return items.filter((item, index) => index <= step || !reportsNewWork(item))
}

const isStopped = ({ run }: DecisionBuilder): boolean => run?.phase !== 'started' && run?.phase !== 'requested'

/** A resumable runner reports its resume handle when it answers the stop. */
const isAcceptedAfterStop = ({ run }: DecisionBuilder, { type }: ReportItem): boolean =>
  ANSWERS.has(type) || (ENDS.has(type) && !(run?.phase === 'parked' && run.resumable))
const ANSWERS: ReadonlySet<ReportItem['type']> = new Set(['stopped', 'approval_delivered', 'steer_delivered'])
const ENDS: ReadonlySet<ReportItem['type']> = new Set(['finished', 'failed', 'lost'])

const isStarted = (w: DecisionBuilder): boolean => w.run?.phase === 'started'

const itemHandlers: {
  readonly [T in ReportItem['type']]: (w: DecisionBuilder, item: ReportItem & { type: T }) => void
} = {
  started: (w, { handle, steer, resumable, durable, sandbox, provider, model }) => {
    const { run } = w
    if (run?.phase !== 'requested') return
    w.addToRun('run_started', {
      run_id: run.runId,
      attempt: run.attempt,
      ...present({ handle, steer, resumable, durable, provider, model }),
    })
    w.addToRun('policy_decision', turnRuntimeDecision(w.state))
    // The sandbox comes last because it is the session's.
    if (sandbox && hasWorkspace(w.state)) w.addToRun('sandbox_notice', defaultSandboxNotice(w.state))
    w.addToRun('sandbox_notice', sandbox ?? defaultSandboxNotice(w.state))
    if (hasWorkspace(w.state)) publishTaskGraph(w, 'running')
  },

  resumed: (w, { pass }) => resumeRun(w, pass),
  waiting: (w, item) => letRunWait(w, item),
  supersede: (w, { keep }) => supersedeText(w, keep),
  next_step: () => {},
  delegate: (w, item) => {
    if (isStarted(w)) delegateTasks(w, item)
  },
  memory: (w, item) => {
    if (isStarted(w)) setMemory(w, item)
  },

  sandbox_awaited: (w, { reason }) => {
    const { run } = w
    if (!run || (run.phase !== 'requested' && !isStarted(w))) return
    // After a restart, the run may already be waiting.
    if ((reason !== null) === (run.awaitsSandbox ?? false)) return
    w.addToRun('sandbox_awaited', { run_id: run.runId, attempt: run.attempt, reason })
    w.addToRun('transport_diagnostic', {
      status: reason === null ? 'ok' : 'waiting',
      kind: 'sandbox',
      ...(reason !== null && { reason }),
    })
  },

  event: (w, { event }) => {
    // Drop unknown types, which no fold reads, and types that only wires produce.
    if (!isStarted(w) || !isEventType(event.type) || catalogue[event.type].source === 'wire') return
    const { source, wire } = catalogue[event.type]
    // Continuation facts count for durable runs only; folds must ignore them in other logs.
    const isClaim = source !== 'runner' || (wire === 'internal' && !w.run?.durable)
    if (isClaim) return w.addToRun(event.type, markedAsHearsay(event), true)
    const refine = refinements[event.type] as ((w: DecisionBuilder, payload: unknown) => void) | undefined
    if (refine) refine(w, event.payload)
    else w.addToRun(event.type, event.payload)
  },

  ask: (w, item) => {
    // The server asks about its own calls only: the log has left one out whose id the runner had taken.
    const isMisplaced = item.served && !ownProperty(w.state.lifecycle.tools, item.toolCallId)?.served
    if (isStarted(w) && !isMisplaced) requestApproval(w, item)
  },

  policy_decision: (w, { payload }) => {
    if (isStarted(w) && w.run?.durable) w.addToRun('policy_decision', payload)
  },

  artifact: (w, item) => {
    if (isStarted(w)) publishArtifact(w, item)
  },

  finished: (w, { result, resume }) => {
    if (!isStarted(w)) return stopAfterLateEnd(w, resume)
    endTurn(w, 'completed', present({ result, resume }))
  },

  failed: (w, { message, transient, reason, resume }) => {
    if (!isStarted(w) && w.run?.phase !== 'requested') return stopAfterLateEnd(w, resume)
    if (reason === 'interrupted' && resume !== undefined && keepInterruptedRun(w, resume)) return
    failRun(w, { message, ...present({ transient, reason, resume }) })
  },

  lost: (w, { message }) => {
    const { run } = w
    if (!isStarted(w) && run?.phase !== 'requested') return completeStop(w, 'confirmed')
    if (w.state.lifecycle.kind === 'chat') return failRun(w, { message, reason: 'interrupted' })
    failRun(w, { message, reason: 'interrupted', transient: true })
  },

  stopped: (w, { resume }) => completeStop(w, 'confirmed', resume),

  resume: (w, { handle }) => {
    if (isStarted(w)) recordResumeHandle(w, handle)
  },

  approval_delivered: (w, { requestId }) => {
    if (ownProperty(w.state.approvals.decided, requestId)?.undelivered)
      w.addToRun('approval_delivered', { request_id: requestId })
  },

  withdraw: (w, { requestId }) => withdrawQuestion(w, requestId),

  steer_delivered: (w, { messageId }) => {
    if (w.state.lifecycle.steers.some((steer) => steer.messageId === messageId)) {
      w.addToRun('steer_delivered', { message_id: messageId })
    }
  },
}

/** The text before an unreported end would be missing, so a parked run does not resume from it. */
const stopAfterLateEnd = (w: DecisionBuilder, resume: string | undefined): void =>
  completeStop(w, 'confirmed', w.run?.phase === 'parked' ? undefined : resume)

/** Also marks the payload if the event would be a statement of the server. */
const markedAsHearsay = ({ type, payload }: Pick<AnyEventDraft, 'type' | 'payload'>): typeof payload =>
  catalogue[type].source === 'server' ? { ...payload, hearsay: true } : payload

/** Rewrites only the part that differs, so that append-only wires can express it as a length and a text. */
const replaceText = (w: DecisionBuilder, { text, ...payload }: Payloads['response'], before: string): void => {
  if (!w.run) return
  const { conversation } = w.state
  const { runId } = w.run
  const kept = commonChars(before, text)
  if (kept < before.length) {
    const thinking_chars = thoughtChars(conversation, runId, answerMark(conversation, runId).parts)
    w.addToRun('response', { ...payload, text: text.slice(0, kept), thinking_chars })
  }
  if (kept < text.length) w.addToRun('token', { text: text.slice(kept) })
}

/** Length of the common prefix; never splits a surrogate pair. */
const commonChars = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return /[\uD800-\uDBFF]/.test(one[at - 1] ?? '') ? at - 1 : at
}

/** Events that the kernel completes. */
const refinements: { readonly [T in keyof Payloads]?: (w: DecisionBuilder, payload: Payloads[T]) => void } = {
  tool_call: (w, payload) => {
    // A duplicate start would never get an outcome.
    if (Object.hasOwn(w.state.lifecycle.tools, payload.tool_call_id)) return
    const args = payload.arguments as JsonObject
    w.addToRun('tool_call', {
      ...payload,
      arguments: withCallId(args, payload.tool_call_id),
      ...agentOfNewCall(w, payload),
    })
  },

  tool_result: (w, payload) => {
    const { result, replaced } = inlineOrArtifact(w, payload.tool_call_id, payload.tool_name ?? 'tool', payload.result)
    const agent = agentOfCall(w, payload.tool_call_id)
    w.addToRun('tool_result', { ...payload, ...agent, result, ...(replaced && { artifact: true }) })
    const { tool_call_id, tool_name = 'tool' } = payload
    if (isUnapprovedCall(w, tool_call_id))
      failUnapprovedCall(w, { tool_call_id, tool_name, status: 'ok', outcome_type: OUTCOME_TYPES.ok })
  },

  tool_outcome: (w, payload) => {
    // A second outcome would contradict the first.
    if (!Object.hasOwn(w.state.lifecycle.tools, payload.tool_call_id)) return
    if (hasActed(payload.status) && isUnapprovedCall(w, payload.tool_call_id)) return failUnapprovedCall(w, payload)
    const agent = agentOfCall(w, payload.tool_call_id)
    if (payload.result === undefined) return w.addToRun('tool_outcome', { ...payload, ...agent })
    const { result, replaced } = inlineOrArtifact(w, payload.tool_call_id, payload.tool_name, payload.result)
    const status = replaced && payload.status === 'ok' ? 'artifact' : payload.status
    w.addToRun('tool_outcome', { ...payload, ...agent, result, status, outcome_type: OUTCOME_TYPES[status] })
  },

  // The runner only knows the text of its own attempt.
  response: (w, payload) => {
    const { keptChars = 0, runId = '' } = w.run ?? {}
    const before = answerOf(w.state.conversation.messages, runId)?.content ?? ''
    const response = { ...payload, text: before.slice(0, keptChars) + payload.text }
    if (payload.so_far) replaceText(w, response, before)
    else w.addToRun('response', response)
  },

  custom_event: (w, payload) => {
    // Clients would mistake a catalogue name for an event of the kernel.
    if (customEventProblem(payload.name, payload.data) === null) w.addToRun('custom_event', payload)
  },

  directive: (w, payload) => {
    // Shells execute directives, so only valid ones may pass.
    if (directiveProblem(payload) === null) w.addToRun('directive', payload)
  },

  // If the next step is cut off, text after this mark is withdrawn.
  model_step: (w, payload) => {
    if (w.run) w.addToRun('model_step', { ...payload, ...answerMark(w.state.conversation, w.run.runId) })
  },

  // Also ends a step, so that thoughts written by middleware stay.
  context_added: (w, payload) => {
    if (w.run) w.addToRun('context_added', { ...payload, ...answerMark(w.state.conversation, w.run.runId) })
  },

  // A runner reports them in each turn. The log has them again when they differ.
  instructions_loaded: (w, payload) => {
    const last = w.state.notices.instructions?.marks ?? NO_INSTRUCTIONS
    const marks = instructionMarks(payload)
    if (marks.all === last.all) return
    w.addToRun('instructions_loaded', payload)
    if (marks.leftOut === last.leftOut || payload.left_out.length === 0) return
    w.addToRun('context_warning', { kind: 'instructions_left_out', message: leftOutText(payload) })
  },

  context_compacted: (w, payload) => {
    w.addToRun('context_compacted', {
      ...payload,
      resume_cursor: payload.resume_cursor ?? cursorText('compact', w.key.id, w.nextSeq),
    })
  },

  // Only child sessions report their own status.
  subagent_event: (w, { child_seq: _seq, session_id: _session, agent: _agent, usage: _usage, ...payload }) => {
    w.addToRun('subagent_event', { ...payload, parent_session_id: payload.parent_session_id ?? w.key.id })
  },

  session_checkpoint: (w, payload) => {
    w.addToRun('session_checkpoint', {
      ...payload,
      session_id: w.key.id,
      sequence: w.state.checkpoints.count + 1,
      resume_cursor: payload.resume_cursor ?? cursorText('checkpoint', w.key.id, w.nextSeq),
    })
  },
}

/** Files that the notice names; the event has all of them. */
const LEFT_OUT_NAMED = 5

const leftOutText = ({ left_out: leftOut }: Payloads['instructions_loaded']): string => {
  const more = leftOut.length - LEFT_OUT_NAMED
  const named = leftOut.slice(0, LEFT_OUT_NAMED).map(({ path, reason }) => `${path} ${reason}`)
  return `Some instructions of the repository are left out: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join('; ')}.`
}

/** Oversized results become artifacts, published once and referenced. */
const inlineOrArtifact = (
  w: DecisionBuilder,
  toolCallId: string,
  tool: string,
  result: Json,
): { result: Json; replaced: boolean } => {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  if (text.length <= INLINE_CHARS_MAX) return { result, replaced: false }
  // `tool_result` and `tool_outcome` share one artifact. Engines reuse call ids, so the hash includes the text.
  const id = `art-${hashText(canonicalJson([w.run?.runId, w.run?.attempt, toolCallId, text]))}`
  const published = () => w.state.artifacts.latest.findLast((artifact) => artifact.id === id)
  if (!published()) {
    const [ending, contentType] = typeof result === 'string' ? ['txt', 'text/plain'] : ['json', 'application/json']
    publishArtifact(w, { id, name: `${tool}.${ending}`, kind: 'tool_result', contentType, text, toolCallId })
  }
  const size = published()?.size ?? text.length
  return { result: { artifact_id: id, size, preview: truncate(text, PREVIEW_CHARS) }, replaced: true }
}
