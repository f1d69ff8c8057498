// Reports of runners. A report for another run or attempt, or a repeated one, changes nothing.

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
    // A durable run keeps the finished work in the report: its next attempt does not repeat it.
    for (const item of w.run?.durable ? finishedWork(report.items) : []) handle(w, item)
    // Drop the rest of the report: its frame, and an end that came with the work.
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

/** The answer of a finished step with its text, and everything that starts no new work. */
const finishedWork = (items: readonly ReportItem[]): readonly ReportItem[] => {
  const step = items.findLastIndex((item) => item.type === 'event' && item.event.type === 'model_step')
  return items.filter((item, index) => index <= step || !reportsNewWork(item))
}

const isStopped = ({ run }: DecisionBuilder): boolean => run?.phase !== 'started' && run?.phase !== 'requested'

/** Items that a stopping run may still report. A resumable runner names its resume handle when it answers the stop. */
const isAcceptedAfterStop = ({ run }: DecisionBuilder, { type }: ReportItem): boolean =>
  ANSWERS.has(type) || (ENDS.has(type) && !(run?.phase === 'parked' && run.resumable))
const ANSWERS: ReadonlySet<ReportItem['type']> = new Set(['stopped', 'approval_delivered', 'steer_delivered'])
const ENDS: ReadonlySet<ReportItem['type']> = new Set(['finished', 'failed', 'lost'])

/** A run that is stopping may not add to the log. */
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
    // Report the sandbox last: it is the session's, and work that writes has a workspace in every sandbox.
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
    // After a restart the run may already be waiting.
    if ((reason !== null) === (run.awaitsSandbox ?? false)) return
    w.addToRun('sandbox_awaited', { run_id: run.runId, attempt: run.attempt, reason })
    w.addToRun('transport_diagnostic', {
      status: reason === null ? 'ok' : 'waiting',
      kind: 'sandbox',
      ...(reason !== null && { reason }),
    })
  },

  event: (w, { event }) => {
    // Drop unknown types, which no fold reads, and events that only a wire makes.
    if (!isStarted(w) || !isEventType(event.type) || catalogue[event.type].source === 'wire') return
    const { source, wire } = catalogue[event.type]
    // Only a durable run has the facts by which it is continued: in the log of another run, no fold may read them.
    const isClaim = source !== 'runner' || (wire === 'internal' && !w.run?.durable)
    if (isClaim) return w.addToRun(event.type, markedAsHearsay(event), true)
    const refine = refinements[event.type] as ((w: DecisionBuilder, payload: unknown) => void) | undefined
    if (refine) refine(w, event.payload)
    else w.addToRun(event.type, event.payload)
  },

  ask: (w, item) => {
    if (isStarted(w)) requestApproval(w, item)
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

/** A parked run never resumes from an unreported end: the text before that end would be missing. */
const stopAfterLateEnd = (w: DecisionBuilder, resume: string | undefined): void =>
  completeStop(w, 'confirmed', w.run?.phase === 'parked' ? undefined : resume)

/** Marks a runner's statement about its isolation or policy as a claim, in the payload. */
const markedAsHearsay = ({ type, payload }: Pick<AnyEventDraft, 'type' | 'payload'>): typeof payload =>
  catalogue[type].source === 'server' ? { ...payload, hearsay: true } : payload

/** Withdraws the end that is said differently and adds the rest, so that a wire which only appends says a length and a text. */
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

/** The length of the common beginning, without half a character. */
const commonChars = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return /[\uD800-\uDBFF]/.test(one[at - 1] ?? '') ? at - 1 : at
}

/** Events that the kernel completes before it numbers them. */
const refinements: { readonly [T in keyof Payloads]?: (w: DecisionBuilder, payload: Payloads[T]) => void } = {
  tool_call: (w, payload) => {
    // A second start of one call would have no outcome of its own.
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

  // The runner knows the text of its own attempt; the answer also holds that of the attempts which it continues.
  response: (w, payload) => {
    const { keptChars = 0, runId = '' } = w.run ?? {}
    const before = answerOf(w.state.conversation.messages, runId)?.content ?? ''
    const response = { ...payload, text: before.slice(0, keptChars) + payload.text }
    if (payload.so_far) replaceText(w, response, before)
    else w.addToRun('response', response)
  },

  custom_event: (w, payload) => {
    // A custom event must not have a name of the catalogue: clients would take it for an event of the kernel.
    if (customEventProblem(payload.name, payload.data) === null) w.addToRun('custom_event', payload)
  },

  directive: (w, payload) => {
    // A shell executes what it finds here, so that nothing else may pass for a directive.
    if (directiveProblem(payload) === null) w.addToRun('directive', payload)
  },

  // The place in the answer where the step ends: text after it is withdrawn if the next step is cut off.
  model_step: (w, payload) => {
    if (w.run) w.addToRun('model_step', { ...payload, ...answerMark(w.state.conversation, w.run.runId) })
  },

  // Also the end of a step: thoughts that middleware wrote ahead of it stay.
  context_added: (w, payload) => {
    if (w.run) w.addToRun('context_added', { ...payload, ...answerMark(w.state.conversation, w.run.runId) })
  },

  context_compacted: (w, payload) => {
    w.addToRun('context_compacted', {
      ...payload,
      resume_cursor: payload.resume_cursor ?? cursorText('compact', w.key.id, w.nextSeq),
    })
  },

  // Only the child session itself reports its status.
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

/** A result too large for the wire becomes an artifact, published once, and a reference to it. */
const inlineOrArtifact = (
  w: DecisionBuilder,
  toolCallId: string,
  tool: string,
  result: Json,
): { result: Json; replaced: boolean } => {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  if (text.length <= INLINE_CHARS_MAX) return { result, replaced: false }
  // `tool_result` and `tool_outcome` of one call carry the same result and share an artifact. Engines reuse call ids in
  // later attempts, turns or even the same one: another text is another artifact.
  const id = `art-${hashText(canonicalJson([w.run?.runId, w.run?.attempt, toolCallId, text]))}`
  const published = () => w.state.artifacts.latest.findLast((artifact) => artifact.id === id)
  if (!published()) {
    const [ending, contentType] = typeof result === 'string' ? ['txt', 'text/plain'] : ['json', 'application/json']
    publishArtifact(w, { id, name: `${tool}.${ending}`, kind: 'tool_result', contentType, text, toolCallId })
  }
  const size = published()?.size ?? text.length
  return { result: { artifact_id: id, size, preview: truncate(text, PREVIEW_CHARS) }, replaced: true }
}
