// The memo of a durable function's run holds everything that the log says of it, over all of its attempts: calls, steps, approvals,
// signals and output. The function begins again from its first line, and finds here what it has done before. Pure: a fold of events.

import { answeredArguments } from '@bridle/events/answers'
import type { RunnerApprovalKind } from '@bridle/events/approval-kinds'
import { catalogue, isEventType } from '@bridle/events/catalogue'
import type { Json, JsonObject } from '@bridle/events/json'
import type { ApprovalDecision, Payloads } from '@bridle/events/schemas'
import { type AnyEvent, BRANCHED } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import { givenAnswer, requestFields } from '@bridle/kernel/question-request'
import { EventReplay } from './event-replay.ts'

/** A call of a tool, or a question to a person, as the log has it. */
export interface CallRecord {
  readonly id: string
  readonly tool: string
  /** The arguments as the function requested them; a person may have edited them. */
  readonly arguments: JsonObject
  readonly effect: Effect
  /** The call whose step key this call uses: itself, or the call that it makes again after a transient failure. */
  readonly stepId: string
  /** Null: the call is open. */
  outcome: Payloads['tool_outcome'] | null
  /** The call does not count: it failed for a while, or a branch left it. A call with its arguments is made anew. */
  isVoid: boolean
  /** The log when the call began, and when it ended: the call itself may have said and reported what is between. */
  readonly from: LogMark
  to: LogMark
}

/** A place in the log of a run: the number of an event, and the length of its text and its thoughts there. */
export interface LogMark {
  readonly seq: number
  readonly text: number
  readonly thoughts: number
}

export type Effect = NonNullable<Payloads['tool_call']['effect']>

/** The result of a step, or its error. Neither: the step returned nothing. */
export type StepResult = Pick<Payloads['step_done'], 'result' | 'error'> & ErrorDetails

export interface ErrorDetails {
  readonly error_name?: string
  readonly error_code?: string
  readonly transient?: boolean
}

export interface ApprovalRecord {
  readonly requestId: string
  readonly kind: RunnerApprovalKind | 'unknown_outcome'
  readonly callId: string
  /** The arguments to run the call with: those of the request, or those that a person approved. */
  readonly arguments: JsonObject
  /** Null: nobody has answered yet. */
  readonly decision: ApprovalDecision | null
  readonly approvedDigest: string | null
  readonly reason: string | null
  readonly isUsed: boolean
}

export interface ShownStep {
  /** The number of the step in its run, from 1. */
  readonly index: number
  /** The log shows the step as running. */
  readonly isOpen: boolean
}

export interface SignalRecord {
  readonly seq: number
  readonly payload: Json
}

export class RunMemo {
  lastSeq = 0
  startedAt = 0
  readonly calls = new Map<string, CallRecord>()
  readonly steps = new Map<string, StepResult>()
  /** By the id of the step in its `step_progress`. */
  readonly shownSteps = new Map<string, ShownStep>()
  batches = 0
  readonly approvals = new Map<string, ApprovalRecord>()
  readonly signals = new Map<string, SignalRecord[]>()
  readonly artifacts = new Map<string, { readonly seq: number; readonly contentType: string }>()
  readonly events = new EventReplay()
  text = ''
  thoughts = ''
  /** The part of both that stands in the answer of the run that a branch continues: it cannot be withdrawn. */
  inherited = { text: 0, thoughts: 0 }
  /** The run itself, and the runs of parents that it continues. */
  readonly runIds: ReadonlySet<string>
  readonly #runId: string
  readonly #callOf = new Map<string, string>()
  readonly #openCalls = new Set<string>()
  /** Whether the last attempt was durable; null: none has started. */
  #isDurable: boolean | null = null

  constructor(runId: string, runIds: ReadonlySet<string> = new Set([runId])) {
    this.#runId = runId
    this.runIds = runIds
  }

  /** Adds an event from before the function began. */
  add(event: AnyEvent): void {
    if (this.#isNews(event)) this.#remember(event)
  }

  /** Adds an event that came since: answers and signals count, and the function knows what it has done itself. */
  follow(event: AnyEvent): void {
    if (this.#isNews(event) && !event.hearsay) this.#hear(event)
  }

  #isNews(event: AnyEvent): boolean {
    if (event.seq <= this.lastSeq) return false
    this.lastSeq = event.seq
    return event.run !== undefined && this.runIds.has(event.run)
  }

  #remember(event: AnyEvent): void {
    this.startedAt ||= event.at
    if (event.hearsay) return this.#addEvent(event)
    switch (event.type) {
      case 'token':
        this.text += event.payload.text
        break
      case 'response':
        this.text = this.text.slice(0, this.inherited.text) + event.payload.text
        break
      case 'thinking':
      case 'reflection':
        this.thoughts += event.payload.text
        break
      case 'output_superseded':
        this.#withdraw(event.payload)
        break
      case 'run_requested':
        this.#inherit(event.run)
        break
      case 'run_started':
        // The attempt before was of a function that was not durable: this one starts over.
        if (this.#isDurable === false) this.#forget()
        this.#isDurable = event.payload.durable === true
        this.#inherit(event.run)
        break
      case 'tool_call':
        this.#addCall(event.payload, event.seq)
        break
      case 'tool_outcome':
        this.#settle(event.payload, event.seq)
        break
      case 'step_done':
        this.steps.set(event.payload.name, event.payload as StepResult)
        break
      case 'step_progress':
        this.#showStep(event.payload)
        break
      case 'tool_batch':
        this.batches += 1
        break
      case 'artifact_published': {
        const { artifact_id, content_type: contentType } = event.payload
        this.artifacts.set(artifact_id, { seq: event.seq, contentType })
        break
      }
      case 'memory_set':
        this.#addEvent(event)
        break
      case 'retry_scheduled':
        this.#voidTransient()
        break
      default:
        this.#hear(event)
    }
    if (isEmittable(event.type)) this.#addEvent(event)
  }

  #addEvent({ type, seq, payload }: AnyEvent): void {
    this.events.add(type, { seq, payload: payload as JsonObject, isInCall: this.#openCalls.size > 0 })
  }

  #forget(): void {
    for (const records of [this.calls, this.steps, this.shownSteps, this.approvals, this.#openCalls]) records.clear()
    this.events.clear()
  }

  #showStep({ step_id: id, status, index }: Payloads['step_progress']): void {
    if (id !== undefined && index !== undefined) this.shownSteps.set(id, { index, isOpen: status === 'running' })
  }

  #hear(event: AnyEvent): void {
    switch (event.type) {
      case 'approval_required': {
        const { request_id, tool_call_id, arguments: args } = event.payload
        const { kind } = requestFields(event.payload)
        if (kind === 'budget') return
        this.#callOf.set(request_id, tool_call_id)
        this.approvals.set(tool_call_id, {
          requestId: request_id,
          kind,
          callId: tool_call_id,
          arguments: withoutCallId(args ?? {}),
          decision: null,
          approvedDigest: null,
          reason: null,
          isUsed: false,
        })
        break
      }
      case 'approval_decided': {
        const { request_id, decision, approved_digest = null, reason = null, arguments: args } = event.payload
        const given = givenAnswer(event.payload)
        const asked = this.#approvalOf(request_id)?.arguments ?? {}
        const arguments_ = args ? withoutCallId(args) : given && answeredArguments(asked, given)
        this.#changeApproval(request_id, {
          decision,
          approvedDigest: approved_digest,
          reason,
          ...(arguments_ && { arguments: arguments_ }),
        })
        break
      }
      case 'approval_delivered':
        this.#changeApproval(event.payload.request_id, { isUsed: true })
        break
      case 'signal_received': {
        const { name, payload } = event.payload
        const earlier = this.signals.get(name)
        if (earlier) earlier.push({ seq: event.seq, payload })
        else this.signals.set(name, [{ seq: event.seq, payload }])
        break
      }
    }
  }

  #changeApproval(requestId: string, change: Partial<ApprovalRecord>): void {
    const approval = this.#approvalOf(requestId)
    if (approval) this.approvals.set(approval.callId, { ...approval, ...change })
  }

  #approvalOf(requestId: string): ApprovalRecord | undefined {
    const approval = this.approvals.get(this.#callOf.get(requestId) ?? '')
    return approval?.requestId === requestId ? approval : undefined
  }

  #addCall(payload: Payloads['tool_call'], seq: number): void {
    const { tool_call_id: id, name, arguments: args, effect = 'unsafe', retry_of } = payload
    const stepId = typeof retry_of === 'string' ? retry_of : id
    const from = this.#mark(seq)
    this.calls.set(id, {
      ...{ id, tool: name, arguments: withoutCallId(args), effect, stepId },
      ...{ outcome: null, isVoid: false, from, to: from },
    })
    this.#openCalls.add(id)
  }

  #settle(outcome: Payloads['tool_outcome'], seq: number): void {
    const call = this.calls.get(outcome.tool_call_id)
    if (!call || call.outcome) return
    call.outcome = outcome
    call.to = this.#mark(seq)
    call.isVoid = outcome.reason === BRANCHED
    this.#openCalls.delete(call.id)
  }

  #mark(seq: number): LogMark {
    return { seq, text: this.text.length, thoughts: this.thoughts.length }
  }

  /** The run is tried again because of a transient failure: calls and steps that failed so are made again. */
  #voidTransient(): void {
    for (const call of this.calls.values()) if (call.outcome?.transient === true) call.isVoid = true
    for (const [name, { transient }] of this.steps) if (transient) this.steps.delete(name)
  }

  #withdraw({ keep }: Payloads['output_superseded']): void {
    const { text, thoughts } = this.inherited
    this.text = this.text.slice(0, text + (keep?.chars ?? 0))
    this.thoughts = this.thoughts.slice(0, thoughts + (keep?.thinking_chars ?? 0))
  }

  /** The run itself begins: text from before is that of the run which it continues. */
  #inherit(runId: string | undefined): void {
    if (runId !== this.#runId || this.#hasBegun) return
    this.#hasBegun = true
    this.inherited = { text: this.text.length, thoughts: this.thoughts.length }
  }

  #hasBegun = false
}

const isEmittable = (type: string): boolean =>
  isEventType(type) && catalogue[type].wire !== 'internal' && !REPLAYED_OTHERWISE.has(type)

const REPLAYED_OTHERWISE: ReadonlySet<string> = new Set(['token', 'thinking', 'reflection', 'output_superseded'])
