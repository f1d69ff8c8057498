// The calls of an engine to tools written with Bridle. The sandbox is untrusted and only requests a call: this process
// checks it, asks for approval, makes it, and logs its outcome. The log decides the answer to a repeated request.

import { canonicalJson, hashText, isJsonObject, type Json, type JsonObject, present } from '@bridle/events/json'
import { READ_PAGE } from '@bridle/events/limits'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import { runSeq, withoutCallId } from '@bridle/kernel/ids'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer, Job } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { type AskingRun, clearance } from '../functions/call-approval.ts'
import { checkArguments } from '../loop/calls/arguments.ts'
import { approvalTerms } from '../loop/calls/call-approvals.ts'
import type { CallRefusal } from '../loop/calls/call-checks.ts'
import { ARGUMENTS_INVALID, UNKNOWN_TOOL } from '../loop/calls/call-history.ts'
import { outcomeItem, toolGoneMessage } from '../loop/calls/call-items.ts'
import { beginning, beginsAtOnce, type CallContext, makeCall, refusal, schemaDeadline } from '../loop/calls/calls.ts'
import type { RuleDecision } from '../loop/policy/call-policy.ts'
import { callOutput } from '../loop/transcript/rendering.ts'
import type { ModelToolOutput, StepCall } from '../model/model.ts'
import { DEFAULT_LIMITS } from '../model-agent.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { RunEndedError } from '../session/errors.ts'
import { type CallRecord, RunMemo } from '../steps/memo.ts'
import type { Tool } from '../tools/tool.ts'

/** Open calls of one run. A session has the same limit for open approvals. */
const CALLS_IN_HAND_MAX = 100
/** Calls of one run, refused ones too: each stays in memory and in the log with its arguments. Long turns make hundreds. */
const CALLS_MAX = 1_000

/** Begins the ids of calls whose requests have no id of the engine. */
export const DERIVED_ID = 'mcp.'

/** A call as an engine asks for it. */
export interface ServedCallRequest {
  /** The engine's id of the call. The same id with the same arguments is the same call, in every process of the server. */
  readonly id: string
  readonly tool: string
  readonly arguments: JsonObject
  /** The call that delegated the work to the subagent which makes this one. */
  readonly parent?: string
}

export interface ServedRun {
  readonly job: Job
  readonly reporter: RunReporter
  readonly clock: Clock
  readonly digest: Digest
  readonly tools: readonly Tool[]
  /** Why a person is asked about every call that may change something, as a sentence; absent: a tool decides for itself. */
  readonly caution?: string
  readonly onFailure?: AgentRunPorts['onFailure']
}

interface CallInHand {
  readonly request: ServedCallRequest
  readonly work: Promise<void>
  readonly cancel: () => void
}

/** The request is not a call of this run: it is not in the log. */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError'
  readonly code = 'call_refused'
}

export class ServedCalls {
  readonly #run: ServedRun
  readonly #tools: ReadonlyMap<string, Tool>
  /** The logged calls of the attempt with their approvals. */
  readonly #memo: RunMemo
  readonly #inHand = new Map<string, CallInHand>()
  /** The calls that delegated the work of subagents, by the ids of these subagents' calls. */
  readonly #parents = new Map<string, string>()
  /** Called after each commit. */
  readonly #waits = new Set<() => void>()
  readonly #over = new AbortController()
  readonly #loaded: Promise<void>

  /** `isResumed`: resumes the calls that an earlier process left open. */
  constructor(run: ServedRun, isResumed: boolean) {
    this.#run = run
    this.#tools = new Map(run.tools.map((tool) => [tool.name, tool]))
    this.#memo = new RunMemo(run.job.runId)
    run.reporter.onClose(() => this.#over.abort(new RunEndedError('The run is over.')))
    this.#loaded = this.#load(isResumed)
    this.#loaded.catch(() => {})
  }

  get tools(): readonly Tool[] {
    return this.#run.tools
  }

  /** Resolves when the log of the attempt is read: from then on `owns` knows every call. */
  get loaded(): Promise<void> {
    return this.#loaded
  }

  /** Whether the server makes, or has made, the call with this id. */
  owns(callId: string): boolean {
    return this.#memo.calls.has(callId) || this.#inHand.has(callId)
  }

  /** The id of such a call whose request came without an id of the engine; null = there is none. `taken`: ids that do not count. */
  derivedId(tool: string, args: JsonObject, taken: ReadonlySet<string>): string | null {
    const wanted = { tool, arguments: args }
    const calls = [...this.#memo.calls.values(), ...[...this.#inHand.values()].map(({ request }) => request)]
    const found = calls.find(
      (call) => call.id.startsWith(DERIVED_ID) && !taken.has(call.id) && isSameCall(call, wanted),
    )
    return found?.id ?? null
  }

  /** Makes the call, or waits for it, or returns what came of it before. Rejects when the run is over, and with `CallRefusedError`. */
  async call(asked: ServedCallRequest): Promise<{ readonly id: string; readonly output: ModelToolOutput }> {
    await this.#loaded
    this.#over.signal.throwIfAborted()
    const parent = this.#parents.get(asked.id)
    const request = { ...asked, id: this.#idOf(asked), ...present({ parent }) }
    const { id } = request
    if (!this.#memo.calls.get(id)?.outcome) await (this.#inHand.get(id) ?? this.#begin(request)).work
    const call = this.#memo.calls.get(id)
    if (!call) throw new CallRefusedError('The call was not made.')
    return { id, output: await this.#output(call) }
  }

  /** A subagent is about to make the call. */
  delegated(callId: string, parent: string): void {
    this.#parents.set(callId, parent)
  }

  /** The engine no longer waits for the call. */
  cancel(callId: string): void {
    this.#inHand.get(callId)?.cancel()
  }

  /** False: the answer is not about a served call. Resolves to true when its use is in the log. */
  async takeAnswer({ requestId, toolCallId }: Pick<ApprovalAnswer, 'requestId' | 'toolCallId'>): Promise<boolean> {
    await this.#loaded
    const approval = () => this.#memo.approvals.get(toolCallId)
    if (approval()?.requestId !== requestId) return false
    const isUsed = () => approval()?.requestId !== requestId || approval()?.isUsed === true || undefined
    await this.#wait(isUsed, this.#over.signal)
    return true
  }

  /** Logs a call that ended inside the engine before it reached the server. */
  async reportUnmade(request: ServedCallRequest, { status, error, reason }: CallRefusal): Promise<void> {
    if (this.#isFull) return
    const args = request.arguments
    const tool = this.#tools.get(request.tool) ?? null
    await this.#write(request, refusal({ call: stepCall(request), args, tool, refusal: { status, error, reason } }))
  }

  /** Writes the beginning of a call. An outcome waits until the log has the call: with an id that the engine has taken, it would end the engine's own. */
  async #write(request: ServedCallRequest, items: readonly ReportItem[]): Promise<void> {
    const own = items.map(withParent(request))
    // The log leaves out a question together with its call.
    const first = own.some(({ type }) => type === 'ask') ? own.length : 1
    await this.#report(...own.slice(0, first))
    if (first < own.length && this.#memo.calls.get(request.id)?.outcome === null)
      await this.#report(...own.slice(first))
  }

  async #load(isResumed: boolean): Promise<void> {
    const { job, reporter } = this.#run
    const buffered: AnyEvent[] = []
    let isLoading = isResumed
    reporter.follow((events) => {
      if (isLoading) return void buffered.push(...events)
      for (const event of events) this.#see(event)
      for (const look of this.#waits) look()
    })
    if (!isResumed) return
    let after = (runSeq(job.runId) ?? 1) - 1
    for (;;) {
      const page = await reporter.session.read(after, READ_PAGE)
      for (const event of page) this.#see(event)
      after = page.at(-1)?.seq ?? after
      if (page.length === 0) break
    }
    isLoading = false
    for (const event of buffered) this.#see(event)
    for (const { id, tool, arguments: args, outcome } of this.#memo.calls.values())
      if (!outcome) this.#begin({ id, tool, arguments: args })
  }

  /** Events of the engine's own calls stay out of the memo, and so does its text. */
  #see(event: AnyEvent): void {
    const { type, payload, hearsay } = event
    const { calls } = this.#memo
    if (hearsay) return
    if (type === 'approval_required' && !payload.served) return
    if (type === 'tool_call' ? !payload.served : type in CALL_EVENTS && !calls.has(callIdIn(payload))) return
    if (type === 'artifact_published' ? payload.kind === 'tool_result' : SEEN.has(type)) this.#memo.add(event)
  }

  /** The id under which the log has, or will have, the call: some providers give the calls of every answer the same ids. */
  #idOf(request: ServedCallRequest): string {
    for (let n = 1; ; n++) {
      const id = n === 1 ? request.id : `${request.id}:${n}`
      const known = this.#inHand.get(id)?.request ?? this.#memo.calls.get(id)
      if (!known || isSameCall(known, request)) return id
    }
  }

  get #isFull(): boolean {
    const { calls } = this.#memo
    const unlogged = [...this.#inHand.keys()].filter((id) => !calls.has(id))
    return calls.size + unlogged.length >= CALLS_MAX
  }

  #begin(request: ServedCallRequest): CallInHand {
    if (this.#inHand.size >= CALLS_IN_HAND_MAX)
      throw new CallRefusedError(`The run has ${CALLS_IN_HAND_MAX} calls under way. Wait until some have ended.`)
    if (!this.#memo.calls.has(request.id) && this.#isFull)
      throw new CallRefusedError(`The run has made ${CALLS_MAX} calls, and can make no more.`)
    const { signal: over } = this.#over
    // A controller of its own: composite signals of thousands of calls would pile up on the signal of the run.
    const ending = new AbortController()
    const endWithRun = () => ending.abort(over.reason)
    over.addEventListener('abort', endWithRun, { once: true })
    const work = this.#make(request, ending.signal).finally(() => {
      over.removeEventListener('abort', endWithRun)
      this.#inHand.delete(request.id)
    })
    work.catch(() => {})
    const inHand = { request, work, cancel: () => ending.abort(new RunEndedError('The engine gave the call up.')) }
    this.#inHand.set(request.id, inHand)
    return inHand
  }

  /** Resolves when the outcome of the call is in the log. */
  async #make(request: ServedCallRequest, signal: AbortSignal): Promise<void> {
    const { id, tool: name } = request
    const { calls } = this.#memo
    const context = this.#context(signal)
    try {
      const isNew = !calls.has(id)
      const tool = this.#tools.get(name)
      const isAnnounced = isNew && (await this.#announce(request, tool, context))
      const call = calls.get(id)
      if (!call) throw new CallRefusedError(`Another call has the id "${id}".`)
      if (call.outcome) return
      if (!tool) return await this.#settle(call, 'tool_gone', toolGoneMessage(name))
      const isAsked = isAnnounced || (!isNew && (await this.#askFirst(call, tool, context)))
      if (call.outcome) return
      const { approval } = { approval: null, ...approvalTerms(tool, call.arguments) }
      const edits = { problem: editProblem(call, tool, context), expiresMs: approval?.expiresMs }
      const args = await clearance(this.#asking(signal), call, { isNew, isAsked }, edits)
      await this.#report(...(await makeCall({ id, tool: name }, tool, args, context)))
    } catch (error) {
      // The call is the next process's, or the session has settled it.
      this.#over.signal.throwIfAborted()
      const call = calls.get(id)
      if (!call) throw error
      // A denial is in the log already.
      if (call.outcome) return
      await (signal.aborted
        ? this.#settle(call, 'cancelled', 'The engine gave the call up before it ended.')
        : this.#settle(call, 'failed', shortErrorMessage(error)))
    }
  }

  /** Writes the beginning of a new call. True: a person is asked about it. */
  async #announce(request: ServedCallRequest, tool: Tool | undefined, context: CallContext): Promise<boolean> {
    const { arguments: args } = request
    const call = stepCall(request)
    const refuse = async (reason: string, error: string) => {
      await this.#write(
        request,
        refusal({ call, args, tool: tool ?? null, refusal: { status: 'error', reason, error } }),
      )
      return false
    }
    if (!tool) return refuse(UNKNOWN_TOOL, `There is no tool "${request.tool}" here any more.`)
    const checked = await checkArguments(tool, args, schemaDeadline(context))
    if ('problem' in checked) return refuse(ARGUMENTS_INVALID, checked.problem)
    const items = await this.#beginning(request, tool, checked.value)
    await this.#write(request, items)
    return !beginsAtOnce(items)
  }

  /** A call that is made again needs its approval, too, if the log has no question about it. An unsafe one is asked about anyway. */
  async #askFirst(call: CallRecord, tool: Tool, context: CallContext): Promise<boolean> {
    if (call.effect === 'unsafe' || this.#memo.approvals.has(call.id)) return false
    const checked = await checkArguments(tool, call.arguments, schemaDeadline(context))
    context.signal.throwIfAborted()
    if ('problem' in checked) {
      await this.#settle(call, ARGUMENTS_INVALID, checked.problem)
      return false
    }
    const [, ...items] = await this.#beginning(call, tool, checked.value)
    if (items.length > 0) await this.#report(...items)
    return items.length > 0
  }

  #beginning(request: ServedCallRequest, tool: Tool, input: unknown): Promise<ReportItem[]> {
    const { effect } = tool
    const accepted = { call: stepCall(request), tool, args: request.arguments, input, effect, resources: null }
    return beginning({ ...accepted, ruling: this.#ruling(tool) }, this.#run.digest)
  }

  #ruling({ name, effect }: Tool): RuleDecision | null {
    const { caution } = this.#run
    if (caution === undefined || effect === 'pure') return null
    return { outcome: 'ask', rule: { tool: name, do: 'ask', reason: caution }, name: `caution ${name}` }
  }

  async #settle({ id, tool }: CallRecord, reason: string, error: string): Promise<void> {
    const approval = this.#memo.approvals.get(id)
    const question: ReportItem[] =
      approval?.decision === null ? [{ type: 'withdraw', requestId: approval.requestId }] : []
    await this.#report(...question, outcomeItem({ id, tool }, 'error', { reason, error }))
  }

  /** The same for a fresh outcome and for one from the log. */
  async #output({ id, outcome, arguments: requested }: CallRecord): Promise<ModelToolOutput> {
    const approved = this.#memo.approvals.get(id)?.arguments
    const edited = approved && canonicalJson(approved) !== canonicalJson(requested) ? approved : null
    if (outcome?.status !== 'artifact') return callOutput({ outcome, edited, excerpt: null })
    const whole = await this.#artifactResult(outcome.result ?? null)
    const error = { status: 'error' as const, error: 'The result of the call is no longer kept.' }
    const shown = whole === null ? error : { status: 'ok' as const, result: whole }
    return callOutput({ outcome: { ...outcome, ...shown }, edited, excerpt: null })
  }

  /** A large result as the tool returned it. An engine has limits of its own for what its model reads. */
  async #artifactResult(reference: Json): Promise<string | null> {
    const id = isJsonObject(reference) ? String(reference.artifact_id) : ''
    return this.#run.reporter.session.artifactText(id, this.#memo.artifacts.get(id)?.seq)
  }

  #context(signal: AbortSignal): CallContext {
    const { job, reporter, clock, digest, onFailure } = this.#run
    const { key, runId, attempt } = job
    return {
      ...{ key, clock, digest, signal, toolMs: DEFAULT_LIMITS.toolMs },
      // Some engines number the calls of every run from the start.
      idsOfRun: runId,
      reporter: {
        report: (items) => this.#report(...items),
        session: reporter.session,
        follow: (call) => reporter.follow(call),
      },
      ...(onFailure && { onThrown: (error, tool) => onFailure({ key, runId, attempt, error, tool }) }),
    }
  }

  #asking(signal: AbortSignal): AskingRun {
    return {
      memo: this.#memo,
      ports: this.#run,
      report: (...items) => this.#report(...items),
      wait: (find) => this.#wait(find, signal),
    }
  }

  /** Out of band, because only the engine's stream has frame numbers. */
  #report(...items: readonly ReportItem[]): Promise<void> {
    return this.#run.reporter.reportOutOfBand(...items.map(asServed))
  }

  #wait<T>(find: () => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waits.delete(look)
        signal.removeEventListener('abort', abort)
      }
      const look = () => {
        const found = find()
        if (found === undefined) return
        end()
        resolve(found)
      }
      const abort = () => {
        end()
        reject(signal.reason)
      }
      this.#waits.add(look)
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      else look()
    })
  }
}

const CALL_EVENTS: { readonly [type: string]: true } = { tool_outcome: true, approval_required: true }
const SEEN: ReadonlySet<string> = new Set([
  ...['run_started', 'tool_call', 'tool_outcome', 'approval_required', 'approval_decided', 'approval_delivered'],
])

const callIdIn = (payload: object): string => String((payload as { tool_call_id?: unknown }).tool_call_id)

type NamedArguments = Pick<ServedCallRequest, 'tool' | 'arguments'>

/** If two calls have one mark by chance, a sandbox reads the outcome of another call of its own, and nothing is made. */
const isSameCall = (one: NamedArguments, other: NamedArguments) =>
  one.tool === other.tool && markOf(one.arguments) === markOf(other.arguments)

/** Arguments can be long, and each request is compared with many calls. */
const marks = new WeakMap<JsonObject, string>()

const markOf = (args: JsonObject): string => {
  const known = marks.get(args)
  if (known !== undefined) return known
  const text = canonicalJson(withoutCallId(args))
  const mark = `${text.length}:${hashText(text)}:${hashText(text, 1)}`
  marks.set(args, mark)
  return mark
}

/** The call as the checks of a model's calls take it. */
const stepCall = ({ id, tool, arguments: input }: ServedCallRequest): StepCall => ({
  ...{ type: 'call', id, tool, input },
  provider_id: id,
})

/** A person is asked again about edited arguments only. */
const editProblem =
  (call: CallRecord, tool: Tool, context: CallContext) =>
  async (args: JsonObject): Promise<string | null> => {
    if (canonicalJson(args) === canonicalJson(call.arguments)) return null
    const checked = await checkArguments(tool, args, schemaDeadline(context))
    return 'problem' in checked ? checked.problem : null
  }

const withParent =
  ({ parent }: ServedCallRequest) =>
  (item: ReportItem): ReportItem =>
    parent === undefined || item.type !== 'event' || item.event.type !== 'tool_call'
      ? item
      : withPayload(item, { parent_tool_call_id: parent })

/** Only the server marks a call so: what a sandbox says of a call never has the mark. */
const asServed = (item: ReportItem): ReportItem => {
  if (item.type === 'ask') return { ...item, served: true }
  return item.type === 'event' && item.event.type === 'tool_call' ? withPayload(item, { served: true }) : item
}

const withPayload = (item: ReportItem & { readonly type: 'event' }, fields: JsonObject): ReportItem =>
  ({ ...item, event: { ...item.event, payload: { ...(item.event.payload as object), ...fields } } }) as ReportItem
