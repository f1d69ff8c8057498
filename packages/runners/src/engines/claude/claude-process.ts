// A process of Claude Code and the turn it plays: its approvals, its hooks, and its end.

import { type JsonObject, present } from '@bridle/events/json'
import { withTimeout } from '../../calls/timeout.ts'
import type { EngineProcess, EngineStarter } from '../../sandboxes/isolation/engine-start.ts'
import type { EngineMcpServer, TurnEnd, TurnReporter } from '../engine.ts'
import type { ProcessMark } from '../process-mark.ts'
import { answerElicitation } from '../questions.ts'
import { ActiveTurn } from './active-turn.ts'
import { ClaudeMcpServers, type McpControl } from './mcp-servers.ts'
import type { SdkMessage } from './sdk-messages.ts'
import { PromptQueue, type SdkUserMessage, turnEnd } from './sdk-messages.ts'
import { countTranscriptMessages } from './transcript.ts'
import type { ContextWindow } from './usage.ts'
import { askUserQuestions, USER_QUESTION_TOOL } from './user-questions.ts'

/** Claude Code exits within a fraction of this once its input is closed; a process that needs longer hangs and is killed. */
const CLAUDE_LEAVE_MS = 1_000

export interface ClaudeSdk {
  query(given: { prompt: AsyncIterable<SdkUserMessage>; options: { [name: string]: unknown } }): SdkQuery
}
interface SdkQuery extends AsyncIterable<SdkMessage>, McpControl {
  interrupt(): Promise<unknown>
  setPermissionMode(mode: string): Promise<unknown>
  /** Older engines do not have this method. */
  getContextUsage?(wanted: { detail: 'summary' }): Promise<{ rawMaxTokens?: number; maxTokens?: number }>
  stopTask(taskId: string): Promise<unknown>
  close(): void
}
interface SdkSpawnOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

export class ClaudeProcess {
  readonly #query: SdkQuery
  readonly #mcpServers: ClaudeMcpServers
  /** Prefixes of the tools of approved MCP servers. */
  #approved: readonly string[] = []
  readonly #mark: ProcessMark
  readonly #prompts = new PromptQueue()
  readonly #abort = new AbortController()
  readonly #finished: Promise<void>
  #stderr = ''
  #child: EngineProcess | null = null
  #activeTurn: ActiveTurn | null = null
  alive = true
  sessionId: string | null = null
  /** The last entry of the transcript that a turn added. */
  lastEntry: string | null = null
  readonly #contextWindow: ContextWindow = { tokens: 0 }
  /** Where the engine keeps its transcripts. */
  readonly #folder: string
  readonly #model: string | undefined
  /** The permission mode at the start, and the current one: an approved plan ends plan mode, but for its own turn alone. */
  #firstMode: string | null = null
  #currentMode: string | null = null

  constructor(sdk: ClaudeSdk, mark: ProcessMark, start: EngineStarter, options: { [name: string]: unknown }) {
    this.#mark = mark
    this.#model = typeof options.model === 'string' ? options.model : undefined
    this.#folder = (options.env as NodeJS.ProcessEnv).CLAUDE_CONFIG_DIR ?? ''
    this.#query = sdk.query({
      prompt: this.#prompts,
      options: {
        ...options,
        abortController: this.#abort,
        spawnClaudeCodeProcess: (wanted: SdkSpawnOptions) => this.#spawn(start, wanted),
        // In a mode without approvals the SDK warns of a callback that it will not call.
        ...(options.permissionMode !== 'bypassPermissions' && {
          canUseTool: (name: string, input: JsonObject, asked: PermissionContext) =>
            this.#requestPermission(name, input, asked),
        }),
        onElicitation: (asked: SdkElicitation) => this.#onElicitation(asked),
        hooks: Object.fromEntries(
          HOOKS.map((hook) => [hook, [{ hooks: [(said: HookInput) => this.#onHook(hook, said)] }]]),
        ),
      },
    })
    this.#mcpServers = new ClaudeMcpServers(this.#query)
    this.#finished = this.#readMessages()
  }

  #spawn(start: EngineStarter, { command, args, cwd = '/', env, signal }: SdkSpawnOptions) {
    const child = start({ file: command, args, cwd, env, program: command })
    this.#child = child
    // Read to its end: a full pipe would make the engine wait for ever.
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2_000)
    })
    const kill = () => child.kill('SIGTERM')
    signal.addEventListener('abort', kill, { once: true })
    child.once('exit', () => signal.removeEventListener('abort', kill))
    return child
  }

  /** The resume id of the last complete entry; null before the first. */
  get resume(): string | null {
    return this.sessionId && this.lastEntry ? `${this.sessionId}/${this.lastEntry}` : null
  }

  playTurn(prompt: string, turn: TurnReporter): Promise<TurnEnd> {
    return new Promise((resolve) => {
      this.#activeTurn = new ActiveTurn(turn, resolve, this.#contextWindow)
      if (!this.alive) return this.#endTurn(this.#failureEnd())
      if (this.#firstMode === null || this.#currentMode === this.#firstMode) return this.pushPrompt(prompt)
      this.#query.setPermissionMode(this.#firstMode).then(
        () => this.pushPrompt(prompt),
        (cause) => {
          this.#endTurn(this.#failureEnd(cause))
          this.#retire()
        },
      )
    })
  }

  steer(text: string): void {
    if (!this.#activeTurn || !this.alive) throw new Error('The engine has no turn under way.')
    this.#activeTurn.pendingSteers += 1
    this.pushPrompt(text)
  }

  pushPrompt(content: string): void {
    this.#prompts.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null })
  }

  async interrupt(): Promise<void> {
    if (this.alive) await this.#query.interrupt()
  }

  /** The engine does not say whether it knew the id; an event reports how the task ended. */
  async stopTask(taskId: string): Promise<boolean> {
    if (!this.alive || !this.#activeTurn) return false
    await this.#query.stopTask(taskId)
    return true
  }

  /** Connects the servers of the next turn. Returns a sentence for each that is unavailable. */
  async connectMcpServers(servers: readonly EngineMcpServer[]): Promise<readonly string[]> {
    if (!this.alive) return []
    this.#approved = servers.flatMap((server) => ('approved' in server ? [`mcp__${server.name}__`] : []))
    return this.#mcpServers.connect(servers)
  }

  async endLeftovers(): Promise<number | null> {
    // Otherwise the programs of MCP servers would count as leftover commands.
    if (this.alive) await this.#mcpServers.disconnect()
    const end = this.#child?.endLeftovers
    return end ? end(this.#mark.processes) : 0
  }

  #retire(): void {
    this.alive = false
    this.close().catch(() => {})
  }

  async close(): Promise<void> {
    this.#prompts.end()
    const left = await withTimeout(CLAUDE_LEAVE_MS, this.#finished)
    if (left === 'late') {
      this.#abort.abort()
      this.#query.close()
      await withTimeout(CLAUDE_LEAVE_MS, this.#finished)
    }
    this.alive = false
    // Kill commands that the engine left behind, in any process group.
    await this.#mark.killProcesses()
    this.#endTurn(this.#failureEnd())
  }

  async #readMessages(): Promise<void> {
    let cause: unknown = null
    try {
      for await (const message of this.#query) await this.#readMessage(message)
    } catch (error) {
      cause = error
    }
    this.alive = false
    await this.#mark.killProcesses()
    this.#endTurn(this.#failureEnd(cause))
  }

  async #readMessage(message: SdkMessage): Promise<void> {
    const playing = this.#activeTurn
    if (typeof message.session_id === 'string') this.sessionId = message.session_id
    if (typeof message.permissionMode === 'string') this.#modeChanged(message.permissionMode)
    if (message.subtype === 'init') this.#learnContextWindow().catch(() => {})
    // A steering message that arrived as the turn ended started another turn that no run follows: do not reuse this engine.
    if (!playing) return void (message.type === 'assistant' && this.#retire())
    // Subagents write to other transcripts, so their entries are no point to resume from.
    const isEntry = (message.type === 'assistant' || message.type === 'user') && !message.parent_tool_use_id
    if (isEntry && message.uuid) this.lastEntry = message.uuid
    for (const event of playing.reader.read(message)) playing.report(event)
    // A call without its result is no point to resume from: the engine would forget what the call did.
    if (isEntry && this.resume !== null && !hasToolCall(message))
      playing.report({ type: 'run.resume', resume: this.resume })
    await playing.turn.waitForRoom()
    const end = message.type === 'result' ? turnEnd(message, this.#model) : null
    if (!end) return
    playing.turnsEnded += 1
    const isLast = playing.pendingSteers === 0 && playing.turnsEnded >= playing.turnsStarted
    // A steering message that came too late for its turn starts another, and the run continues with it.
    if (end.kind === 'completed' && !isLast) return
    this.#endTurn(end)
    // A stopped process would still play the queued turn.
    if (!isLast) this.#retire()
  }

  #modeChanged(mode: string): void {
    this.#firstMode ??= mode
    this.#currentMode = mode
  }

  /** Asks the engine for the size of its context, which messages report only at the end of the first turn. */
  async #learnContextWindow(): Promise<void> {
    if (this.#contextWindow.tokens > 0) return
    const { rawMaxTokens, maxTokens } = (await this.#query.getContextUsage?.({ detail: 'summary' })) ?? {}
    this.#contextWindow.tokens ||= rawMaxTokens ?? maxTokens ?? 0
  }

  /** Once: after a failed result the iterator throws as well. */
  #endTurn(end: TurnEnd): void {
    const playing = this.#activeTurn
    this.#activeTurn = null
    playing?.end(end)
  }

  async #requestPermission(
    toolName: string,
    input: JsonObject,
    { toolUseID: toolUseId, description, decisionReason }: PermissionContext,
  ) {
    const playing = this.#activeTurn
    if (!playing) return { behavior: 'deny', message: 'The run is over.' }
    await playing.announceCall(toolUseId, toolName, input)
    // In plan mode, Claude Code asks in spite of the hook.
    if (this.#isApproved(toolName)) return { behavior: 'allow', updatedInput: input }
    const call = { toolUseId, toolName: toolName === 'Task' ? 'Agent' : toolName, input }
    const described = decisionReason || (isFileOf(input, description) ? '' : description)
    const reason = described || REASONS[toolName] || `${toolName} asks for permission.`
    const verdict =
      toolName === USER_QUESTION_TOOL
        ? await askUserQuestions(playing.turn, call)
        : await playing.turn.requestApproval({ ...call, reason })
    if (verdict.decision === 'approved') return { behavior: 'allow', updatedInput: verdict.input }
    playing.denied.set(toolUseId, verdict.reason)
    return { behavior: 'deny', message: verdict.reason }
  }

  /** Whether the server of the tool asks for approvals itself. */
  #isApproved(toolName = ''): boolean {
    return this.#approved.some((prefix) => toolName.startsWith(prefix))
  }

  async #onElicitation({ serverName, message, mode, requestedSchema, url }: SdkElicitation) {
    const playing = this.#activeTurn
    if (!playing) return { action: 'cancel' }
    const asked = { server: serverName, message, ...present({ mode, requestedSchema, url }) }
    return answerElicitation(playing.turn, asked)
  }

  async #onHook(hook: (typeof HOOKS)[number], said: HookInput): Promise<object> {
    const playing = this.#activeTurn
    if (!playing) return hook === 'PreToolUse' ? DENY_WITHOUT_RUN : {}
    const { tool_use_id: toolUseId, tool_name: toolName, tool_input: input } = said
    if (hook === 'UserPromptSubmit') playing.promptSubmitted(said.prompt_id ?? '')
    if (hook === 'PreToolUse' && toolUseId && toolName) {
      // Intent before effect: a call waits until the session has it in the log.
      await playing.turn.waitForAcknowledgement(await playing.announceCall(toolUseId, toolName, input ?? {}))
    }
    if (toolUseId && said.duration_ms !== undefined) playing.elapsedMs.set(toolUseId, said.duration_ms)
    if (hook === 'PreCompact' && said.transcript_path)
      playing.reader.compactionStarted(await countTranscriptMessages(said.transcript_path, this.#folder))
    if (hook === 'PostCompact' && said.compact_summary) playing.reader.compactionEnded(said.compact_summary)
    if (hook === 'PostToolBatch' && said.tool_calls?.length) {
      const toolUseIds = said.tool_calls.flatMap(({ tool_use_id }) => (tool_use_id ? [tool_use_id] : []))
      playing.report({ type: 'tool.batch', toolUseIds })
    }
    playing.report({
      type: 'hook',
      hook,
      phase: hook.startsWith('Pre') ? 'before' : 'after',
      status: hook === 'PostToolUseFailure' ? 'failed' : 'ok',
      ...(toolUseId && { toolUseId }),
      ...(toolName && { toolName }),
      ...(said.agent_id && { agentId: said.agent_id }),
    })
    return hook === 'PreToolUse' && this.#isApproved(toolName) ? ALLOW : {}
  }

  #failureEnd(cause: unknown = null): TurnEnd {
    const told = this.#stderr.trim().split('\n').at(-1) ?? ''
    const why = cause instanceof Error ? cause.message : ''
    const detail = [why, told].filter((text) => text !== '').join('; ')
    return {
      kind: 'failed',
      message: `The engine stopped${detail ? `: ${detail}` : '.'}`,
      reason: 'engine',
      transient: true,
    }
  }
}

const REASONS: { readonly [toolName: string]: string | undefined } = {
  ExitPlanMode: 'Claude Code has a plan, and asks to carry it out.',
}

/** Also allows the call in `dontAsk` mode. */
const ALLOW = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }

const DENY_WITHOUT_RUN = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'No run is under way.',
  },
}

const HOOKS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'UserPromptSubmit',
  'Stop',
] as const

/** Claude Code describes a call on a file with the file's name. The arguments have it, and it is no reason. */
const isFileOf = ({ file_path: path }: JsonObject, description = ''): boolean =>
  typeof path === 'string' && `/${path}`.endsWith(`/${description}`)

interface HookInput {
  readonly prompt_id?: string
  readonly tool_name?: string
  readonly tool_input?: JsonObject
  readonly tool_use_id?: string
  readonly duration_ms?: number
  readonly compact_summary?: string
  readonly transcript_path?: string
  readonly agent_id?: string
  readonly tool_calls?: readonly { readonly tool_use_id?: string }[]
}
interface SdkElicitation {
  readonly serverName: string
  readonly message: string
  readonly mode?: string
  readonly requestedSchema?: unknown
  readonly url?: string
}
interface PermissionContext {
  readonly toolUseID: string
  readonly description?: string
  readonly decisionReason?: string
}

const hasToolCall = ({ message }: SdkMessage): boolean => {
  const { content } = (message ?? {}) as { content?: unknown }
  return Array.isArray(content) && content.some((block: { type?: unknown }) => block?.type === 'tool_use')
}
