// The life of a model's tool call: its beginning in the log, the work, and the outcome. The loop decides when; the functions here
// decide how. A call has exactly one outcome, whatever its tool does.

import { type Json, type JsonObject, present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import type { ReportItem } from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { planProgress, updatePlan } from '../../middleware/plan.ts'
import { shortErrorMessage } from '../../session/error-message.ts'
import { RunEndedError, ToolFault, ToolTimeout } from '../../session/errors.ts'
import { createMemory, liveMemory } from '../../session/memory.ts'
import { agentEventItem, artifactItem, directiveItem, usageItem } from '../../session/session-items.ts'
import { trackedCall } from '../../session/session-parts.ts'
import { isLoopEventType, type Tool, type ToolSession } from '../../tools/tool.ts'
import { checkArguments } from './arguments.ts'
import { approvalQuestion, approvalTerms, questionTerms, userQuestion } from './call-approvals.ts'
import type { AcceptedCall, RefusedCall } from './call-checks.ts'
import { ARGUMENTS_INVALID, MIDDLEWARE_FAILED, REPEATED, TOOL_RESTS, UNKNOWN_TOOL } from './call-history.ts'
import type { AfterDecision, HookCall } from './call-hooks.ts'
import { type CallName, eventItem, intentItem, outcomeItem, resultItems } from './call-items.ts'
import { type AskingCallContext, type AskPerson, callQuestions } from './call-questions.ts'
import { type Deadline, type PauseDeadline, withDeadline } from './deadline.ts'
import { resultOf } from './tool-result.ts'

/** The parts of a reporter that a call uses: what it reports, and the log that it reads. */
export type CallReporter = Pick<RunReporter, 'report' | 'session' | 'follow'>

export interface CallContext {
  readonly key: Key
  readonly reporter: CallReporter
  readonly clock: Clock
  readonly digest: Digest
  /** The run within which the ids of calls are unique; absent: they are unique in the session. */
  readonly idsOfRun?: string
  /** Aborts when the run is cancelled, and when it ends. */
  readonly signal: AbortSignal
  /** Milliseconds for a tool that names no time of its own. */
  readonly toolMs: number
  /** The middleware behind each call; absent: none. */
  readonly after?: (call: HookCall, result: Json) => Promise<AfterDecision>
  /** Receives what a tool throws; absent: nobody reads it. */
  readonly onThrown?: (error: unknown, tool: string) => void
  /** Further reports of a call that went well, from its result ahead of all middleware; absent: none. */
  readonly consequences?: (tool: Tool, result: Json) => readonly ReportItem[]
}

/** The reports with which a call begins: its intent, and the question to a person where it needs an approval. */
export const beginning = async (
  { call, tool, args, input, effect, ruling }: AcceptedCall,
  digest: Digest,
): Promise<ReportItem[]> => {
  const { id } = call
  const name = { id, tool: tool.name }
  const intent = intentItem(name, args, effect, tool.directive)
  const terms = approvalTerms(tool, input)
  if ('problem' in terms)
    return [intent, outcomeItem(name, 'error', { error: terms.problem, reason: 'approval_failed' })]
  const rule = ruling?.outcome === 'ask' ? ruling : null
  if (tool.isQuestion)
    return [intent, await userQuestion(name, args, input as QuestionRequest, terms.approval, rule, digest)]
  if (terms.approval === null && rule === null) return [intent]
  return [
    intent,
    { ...(await approvalQuestion(name, args, digest)), ...questionTerms(tool.name, terms.approval ?? {}, rule) },
  ]
}

/** Whether these reports let the call begin at once: no person is asked, and the call has not failed already. */
export const beginsAtOnce = (items: readonly ReportItem[]): boolean => items.length === 1

export const refusal = ({ call, args, tool, refusal: { status, reason, error } }: RefusedCall): ReportItem[] => {
  const name = { id: call.id, tool: tool?.name ?? call.tool }
  return [
    // Nothing happens, so that a crash leaves nothing unknown.
    intentItem(name, args, 'pure'),
    ...(MISFITS.has(reason) ? [validationItem(name, error)] : []),
    ...(reason === REPEATED ? repeatedPlan(tool, args) : []),
    ...(reason === REPEATED
      ? [eventItem('context_warning', { kind: 'loop', message: error, tool_call_id: call.id })]
      : []),
    outcomeItem(name, status, { elapsed_ms: 0, reason, error }),
  ]
}

/** The same plan once more is not written again, but it is a repeated plan all the same: health counts it. */
const repeatedPlan = (tool: Tool | null, { steps }: JsonObject): ReportItem[] => {
  const progress = tool?.name === updatePlan.name ? planProgress(steps) : null
  return progress === null ? [] : [eventItem('step_progress', progress)]
}

const MISFITS: ReadonlySet<string> = new Set([ARGUMENTS_INVALID, TOOL_RESTS, UNKNOWN_TOOL])

export const validationItem = ({ id, tool }: CallName, error: string, repaired?: true): ReportItem =>
  eventItem('tool_validation_error', { tool_call_id: id, tool_name: tool, error, ...present({ repaired }) })

/** Makes a call and returns the reports of its outcome. Rejects only when the run has ended. A tool that settles later changes nothing. */
export const makeCall = async (
  call: CallName,
  tool: Tool,
  args: JsonObject,
  context: CallContext,
  startedAt = context.clock.now(),
): Promise<ReportItem[]> => {
  const { clock, signal } = context
  signal.throwIfAborted()
  const failure = (status: 'error' | 'timeout', error: string, reason?: string) => [
    outcomeItem(call, status, { elapsed_ms: elapsedMs(), error, ...present({ reason }) }),
  ]
  const elapsedMs = () => Math.max(0, clock.now() - startedAt)
  const checked = await checkArguments(tool, args, schemaDeadline(context))
  signal.throwIfAborted()
  if ('problem' in checked) return failure('error', checked.problem, ARGUMENTS_INVALID)
  try {
    const result = resultOf(call.tool, await perform(call, tool, checked.value, context))
    if ('problem' in result) return failure('error', result.problem, result.reason)
    const hooked = { id: call.id, tool: call.tool, args, effect: tool.effect }
    const decision = (await context.after?.(hooked, result.value)) ?? { items: [], result: result.value }
    const consequences = context.consequences?.(tool, result.value) ?? []
    const reports = [...directiveItems(tool, checked.value), ...decision.items, ...consequences]
    return 'problem' in decision
      ? [...reports, ...failure('error', decision.problem, MIDDLEWARE_FAILED)]
      : [...reports, ...resultItems(call, decision.result, elapsedMs())]
  } catch (error) {
    signal.throwIfAborted()
    context.onThrown?.(error, call.tool)
    const reason = error instanceof ToolFault ? error.code : undefined
    return failure(error instanceof ToolTimeout ? 'timeout' : 'error', shortErrorMessage(error), reason)
  }
}

/** A schema that asks a service may take as long as a tool. */
export const schemaDeadline = ({
  clock,
  signal,
  toolMs: ms,
}: Pick<CallContext, 'clock' | 'signal' | 'toolMs'>): Deadline => ({
  ...{ clock, signal, ms },
  error: () => new Error(`the schema took longer than ${ms} ms.`),
})

/** The same in every process that makes the call, and in every attempt of its run. */
export const stepKeyOf = (key: Key, callId: string, idsOfRun?: string): string =>
  [keyText(key), ...(idsOfRun === undefined ? [] : [idsOfRun]), callId].join(':')

const perform = async ({ id }: CallName, tool: Tool, input: unknown, context: CallContext): Promise<unknown> => {
  const { key, clock, reporter, toolMs, idsOfRun } = context
  const ms = tool.timeoutMs ?? toolMs
  let close = () => {}
  const work = (signal: AbortSignal, pause: PauseDeadline) => {
    const opened = createToolSession(key.id, reporter, clock, signal)
    const ended = new AbortController()
    let askPerson: AskPerson | null = null
    const ask: AskPerson = (...question) => {
      askPerson ??= callQuestions(id, context, AbortSignal.any([signal, ended.signal]))
      const resume = pause()
      return askPerson(...question).finally(resume)
    }
    close = () => {
      opened.close()
      ended.abort(new RunEndedError('The call is over.'))
    }
    const call: AskingCallContext = { signal, stepKey: stepKeyOf(key, id, idsOfRun), session: opened.session, ask }
    return tool.run(input, call)
  }
  try {
    return await withDeadline(work, { clock, signal: context.signal, ms, error: () => new ToolTimeout(tool.name, ms) })
  } finally {
    close()
  }
}

/** The directive and the outcome of its call are one report: a crash leaves both or none. */
const directiveItems = ({ directive }: Tool, payload: unknown): ReportItem[] =>
  directive === null ? [] : [directiveItem({ ...directive, payload })]

/** The session as a tool sees it. `close` ends it: a tool that has returned, or is past its deadline, adds nothing to the log any more. */
const createToolSession = (
  id: string,
  reporter: CallReporter,
  clock: Clock,
  signal: AbortSignal,
): { readonly session: ToolSession; readonly close: () => void } => {
  let isOpen = true
  const check = () => {
    signal.throwIfAborted()
    if (!isOpen) throw new RunEndedError('The call is over.')
  }
  const track = (start: () => Promise<void>): Promise<void> => trackedCall(check, start)
  const report = (make: () => ReportItem) => track(async () => reporter.report([make()]))
  const session: ToolSession = {
    id,
    // The session holds these messages: the tool may change its own copy.
    messages: async () => structuredClone(reporter.session.messages()),
    memory: createMemory(track, liveMemory(reporter, clock), (proposal) => reporter.report([proposal])),
    artifact: (...content) => report(() => artifactItem(...content)),
    directive: (directive) => report(() => directiveItem(directive)),
    usage: (spent) => report(() => usageItem(spent)),
    emit: (type: string, payload: unknown) =>
      report(() => {
        if (isLoopEventType(type)) throw new TypeError(`"${type}" is not an event that a tool can emit.`)
        return agentEventItem(type, payload)
      }),
  }
  return {
    session,
    close: () => {
      isOpen = false
    },
  }
}
