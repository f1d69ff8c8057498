// Claude Code through its Agent SDK: one streaming query per open session, so that a second turn starts no process.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findPackage } from '../../engine-table/engine-packages.ts'
import { readJson } from '../../process/json-file.ts'
import type { RepositoryTexts } from '../../repository/repository-texts.ts'
import type { EngineLauncher } from '../../sandboxes/isolation/engine-start.ts'
import { appendedInstructions } from '../appended-instructions.ts'
import {
  CONTINUE_PROMPT,
  type Engine,
  type EngineMcpServer,
  type EngineOptions,
  type EngineSession,
  type TurnEnd,
  type TurnReporter,
} from '../engine.ts'
import { notInstalledMessage } from '../engine-install.ts'
import { MCP_WARNING } from '../mcp-problems.ts'
import { newProcessMark } from '../process-mark.ts'
import { ClaudeProcess, type ClaudeSdk } from './claude-process.ts'
import { claudeDescription } from './description.ts'
import { MCP_STARTUP_MS } from './mcp-servers.ts'

/** Retries of the engine; with its default of ten a refused key takes minutes to surface. */
const RETRIES_MAX = '6'

/** The engine's words for a transcript, or an entry in it, that does not exist. */
const LOST_TRANSCRIPT = /No conversation found|No message found/i

/** Claude Code as an engine. `@anthropic-ai/claude-agent-sdk` is yours to install. */
export const claudeEngine = (env: NodeJS.ProcessEnv = process.env): Engine => ({
  name: claudeDescription.name,
  provider: claudeDescription.provider,
  get info() {
    return claudeDescription.info(findPackage(claudeDescription.packageName, env)?.version ?? 'not installed')
  },
  needs: async () =>
    findPackage(claudeDescription.packageName, env) ? null : notInstalledMessage(claudeDescription, env),
  open: async (options) => {
    const found = findPackage(claudeDescription.packageName, env)
    if (!found) throw new Error(notInstalledMessage(claudeDescription, env))
    const sdk = (await import(pathToFileURL(join(found.folder, 'sdk.mjs')).href)) as ClaudeSdk
    return new ClaudeSession(sdk, options, await options.launcher(), env)
  },
})

class ClaudeSession implements EngineSession {
  readonly #sdk: ClaudeSdk
  readonly #options: EngineOptions
  readonly #launcher: EngineLauncher
  readonly #env: NodeJS.ProcessEnv
  readonly #heads: TranscriptHeads
  #process: ClaudeProcess | null
  #resume: string | null
  #sessionId: string | null = null
  #mcpServers: readonly EngineMcpServer[]

  constructor(sdk: ClaudeSdk, options: EngineOptions, launcher: EngineLauncher, env: NodeJS.ProcessEnv) {
    this.#sdk = sdk
    this.#options = options
    this.#launcher = launcher
    this.#env = env
    this.#heads = new TranscriptHeads(options.privateFolder)
    this.#resume = options.resume
    this.#mcpServers = options.mcp ?? []
    this.#process = this.#startProcess(options.resume)
  }

  get resume(): string | null {
    return this.#process?.resume ?? this.#resume
  }

  get sessionId(): string | null {
    return this.#sessionId
  }

  get alive(): boolean {
    return this.#process?.alive ?? false
  }

  async play(prompt: string, turn: TurnReporter, continues = false): Promise<TurnEnd> {
    const link = this.#process
    if (!link) return { kind: 'failed', message: 'The engine was closed.', reason: 'engine' }
    const words = continues && this.#resume !== null ? CONTINUE_PROMPT : prompt
    const end = await this.#playTurn(link, words, turn)
    if (end.kind !== 'failed' || !LOST_TRANSCRIPT.test(end.message) || this.#resume === null) return end
    // The transcript is gone with its disk. Start over and say so: otherwise the session could never run again.
    await link.close()
    this.#resume = null
    turn.report({
      type: 'context.warning',
      kind: 'resume_lost',
      message: "The engine's memory of the earlier turns is gone; it starts anew.",
    })
    this.#process = this.#startProcess(null)
    return this.#playTurn(this.#process, prompt, turn)
  }

  async interrupt(): Promise<void> {
    await this.#process?.interrupt()
  }

  setMcpServers(servers: readonly EngineMcpServer[]): void {
    this.#mcpServers = servers
  }

  async stopTask(taskId: string): Promise<boolean> {
    return (await this.#process?.stopTask(taskId)) ?? false
  }

  async steer(text: string): Promise<void> {
    if (!this.#process) throw new Error('The engine has no turn under way.')
    this.#process.steer(text)
  }

  async endLeftovers(): Promise<number | null> {
    return this.#process ? this.#process.endLeftovers() : 0
  }

  async close(): Promise<void> {
    await this.#process?.close()
    this.#process = null
  }

  async #playTurn(link: ClaudeProcess, prompt: string, turn: TurnReporter): Promise<TurnEnd> {
    const before = this.#sessionId ?? this.#resume?.split('/')[0] ?? null
    if (before) this.#heads.forget(before)
    for (const message of await link.connectMcpServers(this.#mcpServers))
      turn.report({ type: 'context.warning', kind: MCP_WARNING, message })
    const end = await link.playTurn(prompt, turn)
    const { sessionId, lastEntry } = link
    if (sessionId && lastEntry) {
      this.#sessionId = sessionId
      this.#resume = `${sessionId}/${lastEntry}`
      // A process that died in the middle may have written more than it reported, so its last entry is not the head.
      if (link.alive) this.#heads.remember(sessionId, lastEntry)
    }
    return end
  }

  #startProcess(resume: string | null): ClaudeProcess {
    const { workFolder, stateFolder, filesFolder, settings, repository } = this.#options
    const { start, baseUrl } = this.#launcher
    const [session, at] = resume?.split('/') ?? []
    // Resume a transcript that ends at this entry; fork any longer one there.
    const forks = session !== undefined && at !== undefined && this.#heads.headOf(session) !== at
    const mode = settings.permission_mode ?? 'default'
    const mark = newProcessMark()
    const append = appendedInstructions(this.#options)
    return new ClaudeProcess(this.#sdk, mark, start, {
      cwd: workFolder,
      env: { ...engineEnv(this.#env, stateFolder, baseUrl), ...mark.env },
      // A repository must not be able to allow itself anything. The runner reads its texts, and nothing else of it has an effect.
      settingSources: [],
      strictMcpConfig: true,
      includePartialMessages: true,
      // Otherwise the engine records the system prompt of the first turn, and a changed text would never count.
      systemPrompt: { type: 'preset', preset: 'claude_code', snapshot: false, ...(append && { append }) },
      ...(repository && { agents: claudeAgents(repository) }),
      permissionMode: mode,
      ...(filesFolder !== undefined && { additionalDirectories: [filesFolder] }),
      // The engine must not schedule turns: no run would follow them.
      disallowedTools: ['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'Monitor'],
      ...(mode === 'bypassPermissions' && { allowDangerouslySkipPermissions: true }),
      ...(settings.model && { model: settings.model }),
      ...(settings.effort && { effort: settings.effort }),
      ...(typeof settings.max_budget_usd === 'number' && { maxBudgetUsd: settings.max_budget_usd }),
      ...(settings.max_turns && { maxTurns: settings.max_turns }),
      ...(session !== undefined && { resume: session }),
      ...(forks && { resumeSessionAt: at, forkSession: true }),
    })
  }
}

/** Description and text alone: a sub-agent has the tools, the model and the approvals of its session. */
const claudeAgents = ({ subagents }: RepositoryTexts) =>
  Object.fromEntries(subagents.map(({ name, description, text }) => [name, { description, prompt: text }]))

/** The whole environment of the engine. The relay adds the key, so no tool can read it here. */
const engineEnv = (env: NodeJS.ProcessEnv, stateFolder: string, baseUrl: string): NodeJS.ProcessEnv => ({
  PATH: env.PATH,
  HOME: stateFolder,
  LANG: env.LANG ?? 'C.UTF-8',
  TMPDIR: env.TMPDIR,
  CLAUDE_CONFIG_DIR: join(stateFolder, 'claude'),
  ANTHROPIC_BASE_URL: baseUrl,
  ANTHROPIC_API_KEY: 'added-by-the-relay',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  MCP_TIMEOUT: env.MCP_TIMEOUT ?? MCP_STARTUP_MS,
  CLAUDE_CODE_MAX_RETRIES: env.CLAUDE_CODE_MAX_RETRIES ?? RETRIES_MAX,
  // A turn ends when its tasks have ended: no run would hear a task that continues in the background.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  // Set inside a sandbox: as root the engine refuses to skip approvals unless it is in one.
  ...(env.IS_SANDBOX && { IS_SANDBOX: env.IS_SANDBOX }),
  // The mark by which the end of a sandbox finds the processes that were started in it.
  ...(env.BRIDLE_SANDBOX_ID && { BRIDLE_SANDBOX_ID: env.BRIDLE_SANDBOX_ID }),
})

/** The last entry of each transcript whose turn ended well: the engine continues from it without a fork. */
class TranscriptHeads {
  readonly #file: string

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#file = join(folder, 'tips.json')
  }

  headOf(session: string): string | undefined {
    return this.#read()[session]
  }

  remember(session: string, last: string): void {
    this.#write({ ...this.#read(), [session]: last })
  }

  forget(session: string): void {
    const { [session]: known, ...others } = this.#read()
    if (known !== undefined) this.#write(others)
  }

  #read(): { [session: string]: string } {
    return (readJson(this.#file) ?? {}) as { [session: string]: string }
  }

  #write(tips: { [session: string]: string }): void {
    writeFileSync(this.#file, JSON.stringify(tips), { mode: 0o600 })
  }
}
