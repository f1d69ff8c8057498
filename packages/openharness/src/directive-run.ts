import { isJsonObject, type Json, type JsonObject, present } from '@bridle/events/json'
import { isQuestionList } from '@bridle/events/questions'
import { isCoreType, wrongPayloadField } from '@bridle/kernel/directive-payloads'
import { INPUT_SUBJECT } from '@bridle/kernel/user-input'
import type { ActionDirective, Continuation } from '@bridle/wire/openharness/wire'
import { type ApprovalThreshold, type Approver, needsApproval } from './approvals.ts'
import type { ApprovalOption, RequestApprovalPayload } from './core-payloads.ts'
import { type CheckedDirective, fallbackText } from './directive.ts'
import type { DirectiveFeedback, DirectiveOutcome, FeedbackCode, ShellTelemetry } from './feedback.ts'
import type { DirectiveContext, DirectiveHandler, ShellHandlers } from './handlers.ts'
import { type WorkEnd, withinTime } from './messages/deadline.ts'
import { isText } from './messages/response.ts'

export interface ExecutionSettings {
  readonly handlers: ShellHandlers
  readonly approve: Approver | null
  readonly approvalFrom: ApprovalThreshold
  readonly parallel: boolean
  readonly handlerTimeoutMs: number
}

/** `receivedMs` comes from `performance.now()`. */
export interface DirectiveBatch {
  readonly requestId: string
  readonly receivedMs: number
  readonly signal: AbortSignal
  readonly approvalTurn: <T>(ask: () => Promise<T>) => Promise<T>
  readonly telemetry: (event: ShellTelemetry) => void
}

export interface DirectiveResult {
  readonly feedback: DirectiveFeedback
  /** The user's answer, to send to the engine. */
  readonly choice: ChosenOption | null
  /** A question that was shown but not answered yet. */
  readonly openApproval: RequestApprovalPayload | null
}

export interface ChosenOption {
  /** The option's label, or the user's own words. */
  readonly intent: string
  readonly continuation: Continuation
  /** Answers to questions, or form values. */
  readonly extensions?: JsonObject
}

/** Key of Bridle's own fields in `extensions`. */
const VENDOR = 'dev.bridle'

export const executeDirective = async (
  reading: CheckedDirective,
  index: number,
  batch: DirectiveBatch,
  settings: ExecutionSettings,
): Promise<DirectiveResult> => {
  const startedMs = performance.now()
  const run: DirectiveRun = { directive: reading.directive as ActionDirective, index, batch, settings }
  const type: unknown = reading.directive.action_type
  const plan = planOf(reading, settings.handlers)
  const field = plan.code === null ? null : plan.field
  const tell = (code: FeedbackCode, error?: unknown) =>
    batch.telemetry({
      code,
      request_id: batch.requestId,
      index,
      ...(typeof type === 'string' && { action_type: type }),
      ...(field !== null && { field }),
      ...(error !== undefined && { error }),
    })
  if (plan.code !== null) tell(plan.code)
  const end = plan.code === null ? await perform(plan, run) : await degrade(plan, run)
  if (end.code !== null && end.code !== plan.code) tell(end.code, end.error)
  return {
    feedback: {
      request_id: batch.requestId,
      index,
      action_type: typeof type === 'string' ? type : null,
      outcome: end.outcome,
      code: end.code,
      field,
      duration_ms: performance.now() - startedMs,
    },
    choice: end.choice ?? null,
    openApproval: end.openApproval ?? null,
  }
}

interface DirectiveRun {
  readonly directive: ActionDirective
  readonly index: number
  readonly batch: DirectiveBatch
  readonly settings: ExecutionSettings
}

type Plan = ExecutionPlan | DegradedPlan
interface ExecutionPlan {
  readonly code: null
  readonly payload: JsonObject
  readonly handler: DirectiveHandler<never>
}
interface DegradedPlan {
  readonly code: 'unknown_action_type' | 'invalid_directive' | 'invalid_payload'
  readonly field: string | null
  readonly text: string | null
}

/** Own properties only, so that `constructor` is an unknown type rather than a handler. */
const planOf = (reading: CheckedDirective, handlers: ShellHandlers): Plan => {
  const text = fallbackText(reading.directive)
  if (reading.invalid !== null) return { code: 'invalid_directive', field: reading.invalid, text }
  const { action_type: type, payload = {} } = reading.directive
  if (type === 'noop') return { code: null, payload, handler: () => {} }
  const handler = Object.hasOwn(handlers, type) ? handlers[type as keyof ShellHandlers] : undefined
  if (!handler) return { code: 'unknown_action_type', field: null, text }
  if (!isCoreType(type)) return { code: null, payload, handler }
  const wrong = wrongPayloadField(type, payload)
  if (wrong !== null) return { code: 'invalid_payload', field: `payload.${wrong}`, text }
  const checked = type === 'request_approval' ? (readApproval(payload) as unknown as JsonObject) : payload
  return { code: null, payload: checked, handler }
}

interface DirectiveEnd {
  readonly outcome: DirectiveOutcome
  readonly code: FeedbackCode | null
  readonly error?: unknown
  readonly choice?: ChosenOption
  readonly openApproval?: RequestApprovalPayload
}

const perform = async ({ payload, handler }: ExecutionPlan, run: DirectiveRun): Promise<DirectiveEnd> => {
  const { directive, batch, settings } = run
  if (needsApproval(directive, settings.approvalFrom)) {
    const refusal = await batch.approvalTurn(() => refusalOf(run))
    if (refusal) return refusal
  }
  const call = handler as DirectiveHandler<JsonObject>
  // Questions queue with approvals: a user can only read one at a time.
  return directive.action_type === 'request_approval'
    ? batch.approvalTurn(() => callHandler(call, payload, run, Number.POSITIVE_INFINITY))
    : callHandler(call, payload, run, settings.handlerTimeoutMs)
}

const callHandler = async (
  handler: DirectiveHandler<JsonObject>,
  payload: JsonObject,
  run: DirectiveRun,
  timeoutMs: number,
): Promise<DirectiveEnd> => {
  const late = lateness(run)
  if (late) return late
  const work = await withinTime(Math.min(leftMs(run), timeoutMs), run.batch.signal, (signal) =>
    handler(payload, contextOf(run, signal, false)),
  )
  if (work.end !== 'done') return failureOf(work)
  return run.directive.action_type === 'request_approval'
    ? answered(payload as unknown as RequestApprovalPayload, work.value)
    : { outcome: 'executed', code: null }
}

/** Null if the directive may run. */
const refusalOf = async (run: DirectiveRun): Promise<DirectiveEnd | null> => {
  const { directive, batch, settings } = run
  const { approve } = settings
  const late = lateness(run)
  if (late) return late
  if (!approve) return { outcome: 'denied', code: 'no_approver' }
  const work = await withinTime(leftMs(run), batch.signal, (signal) =>
    approve(directive, contextOf(run, signal, false)),
  )
  if (work.end === 'timed_out') return { outcome: 'expired', code: 'deadline_passed' }
  if (work.end === 'aborted') return failureOf(work)
  if (work.end === 'done' && work.value === true) return null
  return { outcome: 'denied', code: 'not_approved', ...(work.end === 'failed' && { error: work.error }) }
}

/** Shows the text of a directive that must not run. Text has no effect on the device, so it needs no approval. */
const degrade = async ({ code, text }: DegradedPlan, run: DirectiveRun): Promise<DirectiveEnd> => {
  const late = lateness(run)
  if (late) return late
  const show = run.settings.handlers.render_message
  if (text === null || !show) return { outcome: 'skipped', code }
  const limitMs = Math.min(leftMs(run), run.settings.handlerTimeoutMs)
  const work = await withinTime(limitMs, run.batch.signal, (signal) => show({ text }, contextOf(run, signal, true)))
  return work.end === 'done' ? { outcome: 'degraded', code } : { ...failureOf(work), outcome: 'skipped' }
}

const answered = (question: RequestApprovalPayload, answer: unknown): DirectiveEnd => {
  if (answer === null || answer === undefined) return { outcome: 'executed', code: null, openApproval: question }
  const {
    option: chosen,
    text,
    answers,
    values,
  }: JsonObject = isJsonObject(answer) ? answer : { option: answer as Json }
  const option = question.options.find(({ id }) => id === chosen)
  const given = present({ answers, values })
  const hasFields = Object.keys(given).length > 0
  // A bare `approve` cannot answer a question that needs text or several answers.
  const isIncomplete = chosen === 'approve' && !text && !hasFields && asksForMore(question)
  if (!option || isIncomplete || (text !== undefined && typeof text !== 'string')) {
    const error = new TypeError(
      isIncomplete
        ? `request_approval asks for ${question.tool === INPUT_SUBJECT ? 'a text: return { option, text }' : 'answers: return { option, answers } or { option, values }'}, or null`
        : `request_approval has no option ${JSON.stringify(answer)}: return the id of an option, { option, text }, or null`,
    )
    return { outcome: 'failed', code: 'handler_failed', error, openApproval: question }
  }
  const { label, continuation_token } = option
  const intent = text === undefined ? label : text
  const run = question.run_id === undefined ? {} : { run_id: question.run_id }
  const continuation = { ...run, continuation_token }
  const choice = { intent, continuation, ...(hasFields && { extensions: { [VENDOR]: given } }) }
  return { outcome: 'executed', code: null, choice }
}

const asksForMore = ({ tool, questions, schema, default: byDefault }: RequestApprovalPayload): boolean =>
  tool === INPUT_SUBJECT || ((questions !== undefined || schema !== undefined) && byDefault === undefined)

const failureOf = (work: Exclude<WorkEnd<unknown>, { end: 'done' }>): DirectiveEnd => {
  if (work.end === 'failed') return { outcome: 'failed', code: 'handler_failed', error: work.error }
  return work.end === 'aborted'
    ? { outcome: 'aborted', code: 'turn_aborted' }
    : { outcome: 'failed', code: 'handler_timed_out' }
}

const contextOf = (
  { directive, index, batch }: DirectiveRun,
  signal: AbortSignal,
  degraded: boolean,
): DirectiveContext => ({
  directive,
  index,
  requestId: batch.requestId,
  signal,
  degraded,
})

const leftMs = ({ directive, batch }: DirectiveRun): number => {
  const { deadline_ms: deadline } = directive
  // Malformed directives get here too, so `deadline` can be of any type.
  const isDeadline = Number.isInteger(deadline) && (deadline ?? -1) >= 0
  return isDeadline ? batch.receivedMs + (deadline ?? 0) - performance.now() : Number.POSITIVE_INFINITY
}

const lateness = (run: DirectiveRun): DirectiveEnd | null => {
  if (run.batch.signal.aborted) return { outcome: 'aborted', code: 'turn_aborted' }
  return leftMs(run) > 0 ? null : { outcome: 'expired', code: 'deadline_passed' }
}

/** Drops options without an id or token of their own: they cannot be chosen. */
const readApproval = (payload: JsonObject): RequestApprovalPayload => {
  const options = (payload.options ?? []) as readonly unknown[]
  const ids = new Set<string>()
  const usable = options.flatMap((option): ApprovalOption[] => {
    if (!isJsonObject(option)) return []
    const { id, label, continuation_token: token } = option
    if (!isText(id) || !isText(token) || ids.has(id)) return []
    ids.add(id)
    return [{ id, label: typeof label === 'string' && label !== '' ? label : id, continuation_token: token }]
  })
  // Other engines may use these field names differently.
  const { questions, schema, default: byDefault, ...rest } = payload
  return {
    ...rest,
    options: usable,
    ...(isQuestionList(questions) && { questions }),
    ...(isJsonObject(schema) && { schema }),
    ...(isJsonObject(byDefault) && { default: byDefault }),
  } as unknown as RequestApprovalPayload
}
