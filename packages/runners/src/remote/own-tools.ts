// The operator's own tools in the runs of an engine. The server makes their calls; what the sandbox says of them stays out of the log, so that
// it has each call once and in the server's words.
import type { AgentRunPorts } from '@bridle/agents/run-ports'
import { McpAnswers, OWN_MCP_SERVER } from '@bridle/agents/served/mcp-answers'
import { type ServedCallRequest, ServedCalls } from '@bridle/agents/served/served-calls'
import type { Tool } from '@bridle/agents/tools/tool'
import { present } from '@bridle/events/json'
import { keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer, Job } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { truncate } from '@bridle/kernel/text/truncate'
import { effectiveSettings } from '../credentials/effective-settings.ts'
import type { McpHandler, McpHandlers } from '../mcp/handler.ts'
import { type McpMessage, SESSION_HEADER } from '../mcp/messages.ts'
import type { EngineSettings, RunMcpServer, RunnerEvent, RunnerEventOf } from '../protocol/protocol.ts'

/** Open calls of the engine, as many as a run may have. */
const ENGINE_CALLS_MAX = 100
/** Characters of a description in the note: the first sentences say when to call a tool. */
const NOTE_CHARS_MAX = 300
/** Every engine puts this before the names of the tools. */
const PREFIX = `mcp__${OWN_MCP_SERVER}__`

export interface OwnToolOptions {
  readonly tools: readonly Tool[]
  readonly clock: Clock
  readonly digest: Digest
  readonly settings: EngineSettings
  /** Receives what a tool throws. */
  readonly onFailure?: AgentRunPorts['onFailure']
}

/** The runs of an engine that this process follows. */
export class OwnTools {
  readonly #options: OwnToolOptions
  readonly #runs = new Map<string, OwnToolRun>()

  constructor(options: OwnToolOptions) {
    this.#options = options
  }

  get tools(): readonly Tool[] {
    return this.#options.tools
  }

  /** The MCP server for the query. Empty without tools. */
  get servers(): readonly RunMcpServer[] {
    return this.tools.length === 0 ? [] : [{ name: OWN_MCP_SERVER, relay: true, approved: true }]
  }

  /** The tools in words, for a model that would not see them before it searches. */
  get note(): string | undefined {
    if (this.tools.length === 0) return undefined
    const lines = this.tools.map(
      ({ name, description }) => `- ${PREFIX}${name}: ${truncate(description, NOTE_CHARS_MAX)}`,
    )
    return `You have these tools of the operator. If they are not in your list of tools, search for them by their names:\n${lines.join('\n')}`
  }

  get handlers(): McpHandlers {
    return this.tools.length === 0 ? {} : { [OWN_MCP_SERVER]: this.handler }
  }

  /** Answers the requests of the run that it is called for. */
  readonly handler: McpHandler = async ({ run: name, method, headers, message }) => {
    // The server has no messages of its own, and nothing of it ends with an MCP session.
    if (method !== 'POST') return { status: method === 'DELETE' ? 200 : 405 }
    const run = this.#runs.get(attemptName(name))
    if (!run) return { status: 503 }
    const session = headers[SESSION_HEADER]
    const reply = await run.answers.answer(message, typeof session === 'string' ? session : null)
    return {
      status: reply.status,
      ...(reply.message && { message: reply.message as McpMessage }),
      ...(reply.session !== undefined && { headers: { [SESSION_HEADER]: reply.session } }),
    }
  }

  /** `isResumed`: an earlier process may have made calls of the attempt. A run that this process follows already is returned as it is. */
  open(job: Job, reporter: RunReporter, isResumed: boolean): OwnToolRun {
    const name = attemptName(job)
    const known = this.#runs.get(name)
    if (known?.reporter === reporter) return known
    const { settings, ...options } = this.#options
    const isPlanning = effectiveSettings(settings, job).permission_mode === 'plan'
    const caution = isPlanning ? 'The engine makes a plan, and this call may change something.' : undefined
    // A run without own tools has nothing in the log, unless the operator has just removed them: then a person may still be asked.
    const mayHaveCalls = isResumed && (options.tools.length > 0 || job.awaiting.length > 0)
    const calls = new ServedCalls({ job, reporter, ...options, ...present({ caution }) }, mayHaveCalls)
    const run = new OwnToolRun(reporter, calls)
    this.#runs.set(name, run)
    const forget = () => {
      if (this.#runs.get(name) === run) this.#runs.delete(name)
    }
    reporter.onClose(forget)
    calls.loaded.catch(forget)
    return run
  }

  /** False: the answer is not about an own tool. Rejects where the run is not followed yet: it may be. */
  async takeAnswer(job: Job, answer: ApprovalAnswer): Promise<boolean> {
    const run = this.#runs.get(attemptName(job))
    if (run) return run.calls.takeAnswer(answer)
    if (this.#options.tools.length === 0) return false
    throw new Error('The run is not followed yet.')
  }
}

const attemptName = ({ key, runId, attempt }: Pick<Job, 'key' | 'runId' | 'attempt'>): string =>
  `${keyText(key)}:${runId}:${attempt}`

export class OwnToolRun {
  readonly reporter: RunReporter
  readonly calls: ServedCalls
  readonly answers: McpAnswers
  /** Calls that the engine has announced, by its ids. */
  readonly #engineCalls = new Map<string, ServedCallRequest>()
  /** Ids of the server's calls whose end the engine has announced under an id of its own. */
  readonly #matched = new Set<string>()

  constructor(reporter: RunReporter, calls: ServedCalls) {
    this.reporter = reporter
    this.calls = calls
    this.answers = new McpAnswers(calls)
  }

  /** The event without what the sandbox says of own tools; null = nothing is left of it. */
  async readEvent(event: RunnerEvent): Promise<RunnerEvent | null> {
    switch (event.type) {
      case 'turn.tools':
        return { ...event, tools: event.tools.map(ownName) }
      case 'tool.started':
        if (!this.#isOwn(event)) return event
        this.#announce(event)
        return null
      case 'tool.completed':
        if (!this.#isOwn(event)) return event
        await this.#complete(event)
        return null
      case 'tool.invalid':
      case 'approval.required':
        return this.#isOwn(event) ? null : event
      case 'policy.decided':
        return event.subject.startsWith(PREFIX) ? null : event
      case 'hook':
        return typeof event.toolName === 'string' ? { ...event, toolName: ownName(event.toolName) } : event
      default:
        return event
    }
  }

  #isOwn({
    toolUseId,
    toolName = '',
  }: {
    readonly toolUseId: string
    readonly toolName?: string | undefined
  }): boolean {
    return toolName.startsWith(PREFIX) || this.#engineCalls.has(toolUseId) || this.calls.owns(toolUseId)
  }

  #announce({ toolUseId: id, toolName, input = {}, parentToolUseId: parent }: RunnerEventOf<'tool.started'>): void {
    if (parent !== undefined) this.calls.delegated(id, parent)
    const [oldest] = this.#engineCalls.keys()
    if (oldest !== undefined && this.#engineCalls.size >= ENGINE_CALLS_MAX) this.#engineCalls.delete(oldest)
    this.#engineCalls.set(id, { id, tool: ownName(toolName), arguments: input, ...present({ parent }) })
  }

  /** A call that ended inside the engine, for example because a turn was interrupted or its arguments did not fit, never reached the server. */
  async #complete({ toolUseId: id, outcome }: RunnerEventOf<'tool.completed'>): Promise<void> {
    const call = this.#engineCalls.get(id)
    this.#engineCalls.delete(id)
    if (!call || this.calls.owns(id)) return
    const made = this.calls.derivedId(call.tool, call.arguments, this.#matched)
    if (made !== null) return void this.#matched.add(made)
    const { status, error, reason } = outcome
    await this.calls.reportUnmade(call, {
      status: status === 'denied' ? 'denied' : 'error',
      reason: 'not_made',
      error: (status === 'ok' || status === 'artifact' ? undefined : (error ?? reason)) ?? NOT_MADE,
    })
  }
}

const NOT_MADE = 'The call did not reach the server.'

const ownName = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name)
