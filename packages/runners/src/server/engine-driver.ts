// Plays runs on engines, one at a time. Each run ends exactly once, however its engine behaves.

import { canonicalJson, type Json, present } from '@bridle/events/json'
import { withTimeout } from '../calls/timeout.ts'
import { missingKeyMessage, type ProviderName } from '../credentials/providers.ts'
import type { Engine, EngineMcpServer, EngineOptions, EngineSession, TurnEnd } from '../engines/engine.ts'
import type { RunnerApprovalAnswer, RunnerQuery } from '../protocol/protocol.ts'
import { type RepositoryTexts, readRepository } from '../repository/repository-texts.ts'
import type { RelayLauncher } from '../sandboxes/isolation/engine-isolation.ts'
import { textDigest } from './run-history.ts'
import type { RunRecord } from './run-record.ts'

/** A model that thinks reports something within minutes; an engine that is silent for ten, with no call open, hangs. */
const STALL_MS = 600_000
/** The longest useful runs take hours; a run of half a day is a loop. */
const RUN_MS = 12 * 3_600_000
/** Timeouts of minutes need no finer clock. */
const TIMEOUT_CHECK_MS = 500
/**
 * An interrupted engine may take this long before its process is ended. Shorter than the time that a session gives an
 * abort.
 */
const INTERRUPT_MS = 1_500
/** An engine opens within seconds; on a cold disk and a busy machine it takes a minute. */
const OPEN_MS = 60_000
/** A killed engine is gone within milliseconds; nothing waits longer for one that is not. */
const CLOSE_MS = 3_000
/** Two refusals in a row are no accident, and engines would retry for minutes. */
const KEY_REFUSALS_MAX = 2

/** After these times a run counts as stuck, and is stopped. */
export interface RunTimeouts {
  /** Silence of the engine with no open call and no open approval. Default 10 minutes. */
  readonly stallMs?: number
  /** The whole run. Default 12 hours. */
  readonly runMs?: number
}

type EngineFolders = Pick<EngineOptions, 'workFolder' | 'stateFolder' | 'filesFolder' | 'privateFolder'>

export interface EngineDriverOptions extends RunTimeouts, EngineFolders {
  /** False: the engine ends with its turn, so that nothing is left in a folder of a person. Default true. */
  readonly keepsEngine?: boolean
  /** Paths that the texts of a repository are not read from, although they may be in the work folder. */
  readonly hidden?: readonly string[]
  readonly launcher: (provider: ProviderName) => Promise<RelayLauncher>
}

export class EngineDriver {
  readonly #options: EngineDriverOptions
  #warmEngine: { readonly name: string; readonly session: EngineSession } | null = null
  #activeRun: ActiveRun | null = null
  #isClosed = false

  constructor(options: EngineDriverOptions) {
    this.#options = options
  }

  /** Resolves when the run has ended and the next may come. Never rejects. */
  async run(record: RunRecord, engine: Engine, query: RunnerQuery, hasKey: boolean): Promise<void> {
    record.report({ type: 'run.started', requestId: record.requestId, engine: engine.name })
    const playing = new ActiveRun(record)
    this.#activeRun = playing
    const end = await this.#runTurn(playing, engine, query, hasKey)
    const { session } = playing
    // MCP programs end with the turn. Close an engine that cannot restart them.
    const keepsMcp = (query.mcp ?? []).length === 0 || session?.setMcpServers !== undefined
    const isClean = session?.alive && !playing.isBroken && keepsMcp && (await endLeftovers(session, record))
    const canStay = isClean && !this.#isClosed && this.#options.keepsEngine !== false
    const { repository } = playing
    if (canStay) this.#warmEngine = { name: warmEngineKey(engine, session.resume, query, repository), session }
    else if (session && !playing.isBroken) await closeSession(session)
    this.#activeRun = null
    // Last: a caller may send the next run as soon as this one has ended.
    playing.end(end)
    playing.released.resolve()
  }

  async #runTurn(playing: ActiveRun, engine: Engine, query: RunnerQuery, hasKey: boolean): Promise<TurnEnd> {
    try {
      const needs =
        (await engine.needs()) ?? (hasKey ? null : missingKeyMessage(engine.provider, 'the server or the runner'))
      if (needs !== null) return { kind: 'failed', message: needs, reason: 'not_configured' }
      playing.repository = this.#readRepository(playing.record, query)
      const session = await this.#openWithTimeout(engine, query, playing)
      playing.session = session
      if (playing.decidedEnd) return playing.decidedEnd
      const watched = this.#watchTimeouts(playing)
      const played = Promise.race([
        session.play(query.prompt, playing.record, query.continues),
        playing.forcedEnd.promise,
      ])
      const end = await played.finally(() => clearInterval(watched))
      // The engine's end counts, unless the runner stopped the run for a reason of its own.
      return playing.decidedEnd ?? serverAwayEnd(playing, end)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', message: `The engine could not be started: ${message}`, reason: 'engine' }
    }
  }

  /** Resolves with the resume id of a stopped run. `stopped: false`: the engine is still opening. */
  async cancel(record: RunRecord): Promise<{ stopped: boolean; resume: string | null }> {
    const playing = this.#activeRun
    if (playing?.record === record && !record.end) await this.#stopRun(playing, { kind: 'interrupted' })
    if (!record.end) return { stopped: false, resume: null }
    const { end } = record
    const resume = end.type === 'run.completed' || end.type === 'run.error' ? (end.resume ?? null) : null
    return { stopped: true, resume }
  }

  abandon(record: RunRecord): void {
    const playing = this.#activeRun
    if (playing?.record !== record) return
    const message = 'Nobody followed the run any more.'
    this.#stopRun(playing, { kind: 'failed', message, reason: 'abandoned' }).catch(() => {})
  }

  onProviderStatus(status: number): void {
    const playing = this.#activeRun
    if (!playing) return
    playing.serverAwaySince = null
    playing.keyRefusals = status === 401 ? playing.keyRefusals + 1 : 0
    if (playing.keyRefusals < KEY_REFUSALS_MAX) return
    const message = 'The provider refuses the key. Check that it is right and may be used.'
    this.#stopRun(playing, { kind: 'failed', message, reason: 'key_refused' }).catch(() => {})
  }

  /** A request of the engine waits for the server that lends its key. */
  onServerAway(): void {
    const playing = this.#activeRun
    if (playing) playing.serverAwaySince ??= Date.now()
  }

  /** The sandbox exceeded a limit, and its engine is being killed. */
  onLimitExceeded(message: string): void {
    const playing = this.#activeRun
    if (playing) this.#stopRun(playing, { kind: 'failed', message, reason: 'resource_limit' }).catch(() => {})
    else this.#closeWarmEngine().catch(() => {})
  }

  /** False = no approval waits for this answer. An answer that arrives twice counts once. */
  async answer(record: RunRecord, toolUseId: string, verdict: RunnerApprovalAnswer): Promise<boolean> {
    const playing = this.#activeRun
    if (playing?.record !== record) return false
    const id = `${toolUseId}/${verdict.answerId ?? ''}`
    if (verdict.answerId !== undefined && playing.answerIds.has(id)) return true
    // Remember the id before awaiting: the same answer may arrive twice at once.
    playing.answerIds.add(id)
    if (await record.answer(toolUseId, verdict)) return true
    playing.answerIds.delete(id)
    return false
  }

  async steer(record: RunRecord, { id, text }: { id: string; text: string }): Promise<boolean> {
    const playing = this.#activeRun
    if (playing?.record !== record || !playing.session) return false
    if (playing.steerIds.has(id)) return true
    playing.steerIds.add(id)
    try {
      await playing.session.steer(text)
      return true
    } catch {
      playing.steerIds.delete(id)
      return false
    }
  }

  /** False = the engine has no such task, or cannot stop a single task. */
  async stopTask(record: RunRecord, taskId: string): Promise<boolean> {
    const playing = this.#activeRun
    if (playing?.record !== record) return false
    return (await playing.session?.stopTask?.(taskId).catch(() => false)) ?? false
  }

  async close(): Promise<void> {
    // An engine that is still opening is closed as soon as it is open.
    this.#isClosed = true
    const playing = this.#activeRun
    const end = { kind: 'failed', message: 'The runner stopped.', reason: 'runner_stopped', transient: true } as const
    if (playing) await this.#stopRun(playing, end)
    await this.#closeWarmEngine()
  }

  /** Reads the texts before each turn, so that a change counts from the next one. */
  #readRepository(record: RunRecord, { repository }: RunnerQuery): RepositoryTexts | null {
    if (repository !== 'instructions') return null
    const { workFolder, hidden = [] } = this.#options
    const { texts, loaded } = readRepository(workFolder, hidden)
    record.report({ type: 'instructions.loaded', ...loaded })
    return texts
  }

  async #openWithTimeout(engine: Engine, query: RunnerQuery, playing: ActiveRun): Promise<EngineSession> {
    const opening = this.#open(engine, query, playing)
    const session = await withTimeout(OPEN_MS, opening)
    if (session !== 'late') return session
    // Close an engine that opens too late: nobody waits for it.
    opening.then(closeSession, () => {})
    throw new Error('it took too long')
  }

  async #open(engine: Engine, query: RunnerQuery, { record, repository }: ActiveRun): Promise<EngineSession> {
    const mcp = await this.#mcpServers(engine, query, record)
    const warm = this.#warmEngine
    this.#warmEngine = null
    const name = warmEngineKey(engine, query.resume ?? null, query, repository)
    if (warm?.session.alive && warm.name === name && query.resume) {
      warm.session.setMcpServers?.(mcp)
      return warm.session
    }
    this.#warmEngine = warm
    await this.#closeWarmEngine()
    const { workFolder, stateFolder, filesFolder, privateFolder, launcher } = this.#options
    return engine.open({
      ...{ workFolder, stateFolder, ...present({ filesFolder }), privateFolder },
      launcher: () => launcher(engine.provider),
      resume: query.resume ?? null,
      settings: query.settings ?? {},
      ...present({ instructions: query.instructions, repository: repository ?? undefined }),
      ...(mcp.length > 0 && { mcp }),
    })
  }

  /** The MCP servers, with the addresses of this run. */
  async #mcpServers(
    engine: Engine,
    { mcp = [] }: RunnerQuery,
    { mcpPart, mcpErrors }: RunRecord,
  ): Promise<EngineMcpServer[]> {
    const isRelayed = mcp.some((server) => 'relay' in server)
    const launcher = isRelayed ? await this.#options.launcher(engine.provider) : null
    return mcp.flatMap((server): EngineMcpServer[] => {
      const { name } = server
      if (!('relay' in server)) {
        const { command, args, env, cwd } = server
        return [{ name, command, args, env, cwd }]
      }
      const url = launcher?.mcpUrl(mcpPart, name)
      const problem = () => mcpErrors.get(name)
      return url === undefined
        ? []
        : [{ name, url, problem, ...(server.approved === true && { approved: true as const }) }]
    })
  }

  async #closeWarmEngine(): Promise<void> {
    const warm = this.#warmEngine
    this.#warmEngine = null
    if (warm) await closeSession(warm.session)
  }

  /** Interrupts the engine, then kills it. Decides how the run ends. */
  async #stopRun(playing: ActiveRun, end: TurnEnd): Promise<void> {
    playing.decidedEnd ??= end
    playing.stopping ??= (async () => {
      const { session, record } = playing
      if (!session) return
      const gently = withTimeout(
        INTERRUPT_MS,
        Promise.all([session.interrupt().catch(() => {}), waitForRunEnd(record)]),
      )
      if ((await gently) !== 'late') return
      playing.isBroken = true
      await closeSession(session)
      playing.forcedEnd.resolve(playing.decidedEnd ?? end)
    })()
    await playing.stopping
    await withTimeout(CLOSE_MS, playing.released.promise)
  }

  #watchTimeouts(playing: ActiveRun): NodeJS.Timeout {
    const { stallMs = STALL_MS, runMs = RUN_MS } = this.#options
    const begun = Date.now()
    return setInterval(() => {
      const { record } = playing
      const now = Date.now()
      const isSilent = now - record.lastEventAt > stallMs && !record.isWaiting
      if (!isSilent && now - begun < runMs) return
      const message = isSilent
        ? `The engine said nothing for ${Math.round(stallMs / 1000)} seconds.`
        : `The run took longer than ${Math.round(runMs / 1000)} seconds.`
      this.#stopRun(playing, { kind: 'failed', message, reason: isSilent ? 'stalled' : 'too_long' }).catch(() => {})
    }, TIMEOUT_CHECK_MS)
  }
}

class ActiveRun {
  readonly record: RunRecord
  readonly forcedEnd = Promise.withResolvers<TurnEnd>()
  /** Resolves when the next run may start. */
  readonly released = Promise.withResolvers<void>()
  readonly answerIds = new Set<string>()
  readonly steerIds = new Set<string>()
  session: EngineSession | null = null
  repository: RepositoryTexts | null = null
  stopping: Promise<void> | null = null
  /** The end that the runner decided on; it overrides the engine's. */
  decidedEnd: TurnEnd | null = null
  isBroken = false
  keyRefusals = 0
  /** The first try that did not reach the server, while none has since. */
  serverAwaySince: number | null = null

  constructor(record: RunRecord) {
    this.record = record
  }

  end(end: TurnEnd): void {
    const { session, record } = this
    const handle = present({ resume: session?.resume ?? undefined })
    if (end.kind === 'completed') {
      const sessionId = session?.sessionId || undefined
      record.report({ type: 'run.completed', ...present({ result: end.result, sessionId }), ...handle })
    } else if (end.kind === 'interrupted') {
      record.report({ type: 'run.error', message: 'The run was cancelled.', reason: 'cancelled', ...handle })
    } else {
      const { kind: _kind, ...failure } = end
      record.report({ type: 'run.error', ...failure, ...handle })
    }
  }
}

/** An engine that stopped waiting for the server has not failed. */
const serverAwayEnd = ({ serverAwaySince }: ActiveRun, end: TurnEnd): TurnEnd => {
  if (serverAwaySince === null || end.kind !== 'failed') return end
  const seconds = Math.round((Date.now() - serverAwaySince) / 1_000)
  const message = `The server was away for ${seconds} seconds, and the engine stopped waiting for it.`
  return { kind: 'failed', message, reason: 'server_away', transient: true }
}

/** Names everything that an engine is opened with: a change counts from the next turn, for which another engine is opened. */
const warmEngineKey = (
  engine: Engine,
  resume: string | null,
  { settings = {}, instructions = '', mcp = [] }: RunnerQuery,
  repository: RepositoryTexts | null,
): string => {
  const texts = [textDigest(instructions), repository?.digest ?? null]
  return canonicalJson([engine.name, resume, settings as Json, ...texts, mcp as Json])
}

/** Nothing outlives its turn but the engine. False = it may not stay, since something beside it could not be ended. */
const endLeftovers = async (session: EngineSession, record: RunRecord): Promise<boolean> => {
  const commands = (await session.endLeftovers?.().catch(() => null)) ?? (session.endLeftovers ? null : 0)
  if (commands === 0) return true
  const message =
    commands === null
      ? 'Background commands did not stop when the turn ended, so the engine was closed with them.'
      : `${commands} background ${commands === 1 ? 'command was' : 'commands were'} stopped when the turn ended.`
  record.report({ type: 'context.warning', kind: 'background_stopped', message })
  return commands !== null
}

/** Never rejects and never hangs, whatever the engine does. */
const closeSession = async (session: EngineSession): Promise<void> => {
  const closing = session.close().catch(() => {})
  await withTimeout(CLOSE_MS, closing)
}

const waitForRunEnd = async (record: RunRecord): Promise<void> => {
  while (!record.end) await record.nextChange()
}
