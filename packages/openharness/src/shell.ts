import type { JsonObject } from '@bridle/events/json'
import { isCoreType } from '@bridle/kernel/directive-payloads'
import type { Continuation, ResponseMessage } from '@bridle/wire/openharness/wire'
import type { RequestApprovalPayload } from './core-payloads.ts'
import type { ChosenOption, ExecutionSettings } from './directive-run.ts'
import { createEnvironmentReader, type EnvironmentReader } from './environment.ts'
import { executeDirectives } from './execution.ts'
import type { DirectiveFeedback, ShellTelemetry } from './feedback.ts'
import { createFeedbackOutbox, type FeedbackOutbox } from './feedback-outbox.ts'
import { type AttachmentUploads, createAttachmentUploads } from './files/shell-file.ts'
import { withinTime } from './messages/deadline.ts'
import { ShellFault, type ShellFaultCode } from './messages/fault.ts'
import { buildRequest, checkEnvironment } from './messages/request.ts'
import { readResponse } from './messages/response.ts'
import type { PartialResponse, ResumeOptions, Shell, ShellOptions, ShellTurn, TurnError } from './options.ts'

/** Only for handlers that do not wait for a person. */
const HANDLER_MS = 60_000
/** An engine that asks more often in one turn is looping. */
const FOLLOW_UPS_MAX = 50
/** A caller that queues more is ignoring the results. */
const TURNS_MAX = 100

/** Creates a shell over a transport. */
export const createShell = (options: ShellOptions): Shell => {
  checkHandlers(options.handlers)
  const sessionId = options.sessionId || newId('sess')
  let conversationId = options.conversationId || undefined
  const parts = {
    outbox: createFeedbackOutbox(capabilitiesOf(options)),
    upload: createAttachmentUploads(options.transport.upload),
    environmentFor: createEnvironmentReader(options),
  }
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const takeTurn = (intent: string | undefined, continuation: Continuation | undefined, turn: ResumeOptions) => {
    if (waiting >= TURNS_MAX) {
      const text = `More than ${TURNS_MAX} turns wait: await the earlier ones first.`
      return Promise.reject(new ShellFault('invalid_options', text))
    }
    waiting += 1
    const result = last.then(() =>
      runTurn({ ...turn, intent, continuation }, options, { sessionId, conversationId }, parts),
    )
    last = result.catch(() => {}).then(() => (waiting -= 1))
    return result
  }

  return {
    sessionId,
    get conversationId() {
      return conversationId
    },
    send: (intent, turn = {}) => takeTurn(intent, undefined, turn),
    resume: (continuation, turn = {}) => takeTurn(turn.intent, continuation, turn),
    sendFeedback: (turn = {}) => takeTurn(undefined, undefined, turn),
    startConversation: (id) => {
      conversationId = id || newId('conv')
      return conversationId
    },
  }
}

type TurnInput = ResumeOptions & {
  readonly intent: string | undefined
  readonly continuation: Continuation | undefined
}
interface TurnParts {
  readonly outbox: FeedbackOutbox
  readonly upload: AttachmentUploads
  readonly environmentFor: EnvironmentReader
}
type Place = { readonly sessionId: string; readonly conversationId: string | undefined }

const runTurn = async (
  turn: TurnInput,
  options: ShellOptions,
  place: Place,
  { outbox, upload, environmentFor }: TurnParts,
): Promise<ShellTurn> => {
  const requestId = turn.requestId || newId('req')
  const correlationId = turn.correlationId || newId('corr')
  const signal = turn.signal ?? new AbortController().signal
  const responses: ResponseMessage[] = []
  const feedback: DirectiveFeedback[] = []
  const openApprovals: RequestApprovalPayload[] = []
  let error: TurnError | null = null
  const hooks = {
    feedback: hookOf(options, 'onFeedback'),
    telemetry: hookOf(options, 'onTelemetry'),
    partial: hookOf(options, 'onPartial'),
  }

  const exchange = async (id: string, input: TurnInput): Promise<ChosenOption[]> => {
    const environment = await environmentFor(id)
    checkEnvironment(environment)
    const tenantId = options.auth?.tenant_id
    const call = { signal, ...(tenantId !== undefined && { tenantId }) }
    const attachments = input.attachments && (await upload(input.attachments, id, call))
    const request = buildRequest({
      requestId: id,
      correlationId,
      capabilities: capabilitiesOf(options),
      identity: options.identity,
      auth: options.auth,
      ...place,
      intent: input.intent,
      continuation: input.continuation,
      taskHint: input.taskHint,
      attachments,
      environment,
      extensions: input.extensions,
      ...outbox.next(),
    })
    let isOpen = true
    const sending = await withinTime(Number.POSITIVE_INFINITY, signal, (sent) =>
      options.transport(request, {
        signal: sent,
        ...(options.onPartial && {
          // Ignore late partials of a transport that keeps going after its turn.
          onPartial: (directives) => {
            if (!sent.aborted && isOpen) hooks.partial({ request_id: id, action_directives: directives })
          },
        }),
      }),
    )
    isOpen = false
    const receivedMs = performance.now()
    if (sending.end === 'failed') throw sending.error
    if (sending.end !== 'done') throw new ShellFault('aborted', 'The turn was ended before a response came.')
    const reading = readResponse(sending.value, request)
    responses.push(sending.value as ResponseMessage)
    outbox.confirm(request.request.extensions, sending.value as ResponseMessage)
    for (const field of reading.ignored) hooks.telemetry({ code: 'ignored_field', request_id: id, field })
    for (const { capability } of reading.denials)
      hooks.telemetry({ code: 'capability_denied', request_id: id, field: capability })
    if (reading.error) error ??= { ...reading.error, retryable: reading.error.retryable === true, source: 'engine' }
    const batch = { requestId: id, receivedMs, signal }
    const results = await executeDirectives(reading.directives, batch, settingsOf(options), hooks)
    const ends = results.map((result) => result.feedback)
    feedback.push(...ends)
    outbox.add(ends)
    openApprovals.push(...results.flatMap(({ openApproval }) => openApproval ?? []))
    return results.flatMap(({ choice }) => choice ?? [])
  }

  // `sendFeedback` sends no request if the queue is empty or the engine does not accept feedback.
  const isEmpty = turn.intent === undefined && !turn.continuation && outbox.next().payloadExtensions === undefined
  const answers: { readonly id: string; readonly input: TurnInput }[] = isEmpty ? [] : [{ id: requestId, input: turn }]
  for (let sent = 0; answers[sent] !== undefined; sent += 1) {
    const { id, input } = answers[sent]!
    if (sent > FOLLOW_UPS_MAX) {
      hooks.telemetry({ code: 'too_many_follow_ups', request_id: id })
      break
    }
    try {
      for (const choice of await exchange(id, input)) answers.push({ id: newId('req'), input: choice })
    } catch (fault) {
      // Throwing after the first request would discard the results of earlier ones.
      if (sent === 0 && fault instanceof ShellFault && fault.code === 'invalid_options') throw fault
      error ??= turnErrorOf(fault)
    }
  }
  return { status: error ? 'error' : 'success', requestId, error, responses, feedback, openApprovals }
}

/** Capabilities that the shell lacks are omitted. */
const capabilitiesOf = ({ handlers, approve, parallel, onPartial, capabilities }: ShellOptions): JsonObject => {
  const derived = {
    'openharness.actions.parallel': parallel !== false,
    'openharness.ui.rich_cards': handlers.render_ui !== undefined,
    'openharness.ui.approval': approve !== undefined,
    'openharness.streaming': onPartial !== undefined,
  }
  return Object.fromEntries(Object.entries({ ...derived, ...capabilities }).filter(([, value]) => value !== false))
}

const settingsOf = (options: ShellOptions): ExecutionSettings => ({
  handlers: options.handlers,
  approve: options.approve ?? null,
  approvalFrom: options.approvalFrom ?? 'dangerous',
  parallel: options.parallel !== false,
  handlerTimeoutMs: options.handlerTimeoutMs ?? HANDLER_MS,
})

/** Dotless names are reserved for core types, so any other one is a typo that would never be called. */
const checkHandlers = (handlers: ShellOptions['handlers']): void => {
  const wrong = Object.keys(handlers).find((name) => !name.includes('.') && !isCoreType(name))
  if (wrong === undefined) return
  const text = `The handler ${wrong} is for no core type: give other types a dotted name, such as com.example.${wrong}.`
  throw new ShellFault('invalid_options', text, { field: `handlers.${wrong}` })
}

/** An error thrown by a hook must not affect the turn. */
const hookOf = <Name extends keyof HookEvents>(options: ShellOptions, name: Name) => {
  const hook = options[name] as ((event: HookEvents[Name]) => void) | undefined
  return (event: HookEvents[Name]): void => {
    try {
      hook?.(event)
    } catch (error) {
      if (name !== 'onTelemetry')
        hookOf(options, 'onTelemetry')({ code: 'hook_failed', request_id: event.request_id, error })
    }
  }
}

interface HookEvents {
  readonly onFeedback: DirectiveFeedback
  readonly onTelemetry: ShellTelemetry
  readonly onPartial: PartialResponse
}

const RETRYABLE: ReadonlySet<ShellFaultCode> = new Set(['unreachable', 'timed_out', 'stream_broken'])

const turnErrorOf = (fault: unknown): TurnError => {
  const { code, message, details } =
    fault instanceof ShellFault
      ? fault
      : new ShellFault('unreachable', 'The transport failed: the cause has the reason.', { cause: fault })
  return { code, message, retryable: RETRYABLE.has(code), details: { ...details }, source: 'shell', cause: fault }
}

const newId = (prefix: string): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `${prefix}_${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
