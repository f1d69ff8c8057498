// Codex, through `codex app-server`: one process per open session, warm between turns.

import { type JsonObject, objectOf } from '@bridle/events/json'
import { withTimeout } from '../../calls/timeout.ts'
import { findPackage } from '../../engine-table/engine-packages.ts'
import type { RunnerEvent } from '../../protocol/protocol.ts'
import type { EngineCommand } from '../../sandboxes/isolation/engine-start.ts'
import { CONTINUE_PROMPT, type Engine, type EngineSession, type TurnEnd, type TurnReporter } from '../engine.ts'
import { AppServer, type RpcRequest } from './app-server.ts'
import { answerServerRequest } from './approvals.ts'
import { codexDescription } from './description.ts'
import { activeTurns } from './events/agents.ts'
import { textIn } from './events/lenient-json.ts'
import { closingEvents, runnerEventsOf } from './events/notifications.ts'
import { type CodexTurnState, newTurnState, nextTurnState, type RpcNotification } from './events/turn-state.ts'
import { turnFailureOf } from './failures.ts'
import { codexCommand, findCodex } from './launch.ts'
import { openThread, type ThreadPosition } from './thread.ts'

/** A request about a thread or a turn reads files at most: a healthy process answers at once. */
const CONTROL_MS = 30_000

/** Shorter than the time that the runner gives an interrupt, so that Codex is killed here first. */
const CODEX_INTERRUPT_MS = 1_000

const DELTAS = new Set(['assistant.delta', 'thinking.delta'])

export interface CodexOptions {
  /** How often Codex repeats a failed request; absent = the default of Codex. */
  readonly retries?: number
  readonly controlMs?: number
  /** Another program that speaks the protocol of Codex. */
  readonly program?: Pick<EngineCommand, 'file' | 'args'>
}

/** Codex as an engine. `@openai/codex` is yours to install. */
export const codexEngine = (
  env: NodeJS.ProcessEnv = process.env,
  { retries, controlMs = CONTROL_MS, program }: CodexOptions = {},
): Engine => ({
  name: codexDescription.name,
  provider: codexDescription.provider,
  get info() {
    return codexDescription.info(findPackage(codexDescription.packageName, env)?.version ?? 'not installed')
  },
  needs: async () => {
    const found = findCodex(env)
    return 'missing' in found ? found.missing : null
  },
  open: async (options) => {
    const found = program ?? findCodex(env)
    if ('missing' in found) throw new Error(found.missing)
    const { start, baseUrl } = await options.launcher()
    const command = await codexCommand({ ...options, baseUrl, file: found.file, env, retries })
    const server = new AppServer({ ...command, ...program }, start)
    try {
      const clientInfo = { name: 'bridle', title: 'Bridle', version: '0' }
      const capabilities = { experimentalApi: true, requestAttestation: false }
      await server.request('initialize', { clientInfo, capabilities }, controlMs)
      server.notify('initialized')
      const place = await openThread(server, options, controlMs)
      return new CodexSession(server, place, controlMs)
    } catch (error) {
      const why = server.alive ? (error as Error).message : await server.exitReason
      await server.end()
      throw new Error(`Codex could not be opened: ${why}`, { cause: error })
    }
  },
})

type ActiveCodexTurn = ReturnType<typeof newActiveTurn>

/** An open session of Codex. Process and turn may end while a line is read: a turn ends once, and no event follows its end. */
class CodexSession implements EngineSession {
  readonly #server: AppServer
  readonly #controlMs: number
  readonly #thread: string
  #turnIds: readonly string[]
  #lostReason: string | null
  /** The thread ends exactly where the turn before stopped. */
  #isExactPosition: boolean
  #state: CodexTurnState
  #activeTurn: ActiveCodexTurn | null = null
  #isClosed = false

  constructor(server: AppServer, { thread, turn, lostReason, isExact, model }: ThreadPosition, controlMs: number) {
    this.#server = server
    this.#controlMs = controlMs
    this.#thread = thread
    this.#turnIds = turn === null ? [] : [turn]
    this.#lostReason = lostReason
    this.#isExactPosition = isExact
    this.#state = { ...newTurnState(thread), model }
    server.listen({
      onNotification: (notice) => this.#onNotification(notice),
      onRequest: (asked) => void this.#onRequest(asked),
    })
    void server.exitReason.then((why) => this.#onExit(why))
  }

  get resume(): string | null {
    return this.#turnIds.length === 0 ? null : [this.#thread, ...this.#turnIds].join(':')
  }

  get sessionId(): string | null {
    return this.#thread
  }

  get alive(): boolean {
    return this.#server.alive && !this.#isClosed
  }

  async play(prompt: string, turn: TurnReporter, continues = false): Promise<TurnEnd> {
    if (this.#activeTurn) return { kind: 'failed', message: 'Another turn is under way.', reason: 'engine_busy' }
    if (!this.alive) return { kind: 'failed', message: 'Codex is not running any more.', reason: 'engine_gone' }
    this.#state = nextTurnState(this.#state)
    const play = newActiveTurn(turn, this.#state)
    this.#activeTurn = play
    const words = continues && this.#isExactPosition ? CONTINUE_PROMPT : prompt
    this.#isExactPosition = true
    this.#startTurn(words, play).catch((error: Error) => this.#onStartFailure(play, error.message))
    const end = await play.ended
    this.#activeTurn = null
    return end
  }

  async interrupt(): Promise<void> {
    const play = this.#activeTurn
    if (!play?.end) return
    play.interrupted = true
    play.stop()
    this.#interruptAll(play)
    if ((await withTimeout(CODEX_INTERRUPT_MS, play.ended)) === 'late')
      await this.#abandonTurn(play, { kind: 'interrupted' })
  }

  async steer(text: string): Promise<void> {
    const turn = this.#activeTurn?.end && !this.#activeTurn.interrupted ? this.#activeTurn.seen.turn : null
    if (turn == null) throw new Error('No turn is under way.')
    await this.#request('turn/steer', { expectedTurnId: turn, input: textInput(text) })
  }

  /** A subagent of Codex is another thread, with another turn. */
  async stopTask(taskId: string): Promise<boolean> {
    const play = this.#activeTurn
    const turn = play?.end ? activeTurns(play.seen).find(({ threadId }) => threadId === taskId) : undefined
    if (!turn) return false
    await this.#server.request('turn/interrupt', turn, CODEX_INTERRUPT_MS)
    return true
  }

  endLeftovers(): Promise<number | null> {
    return this.#server.endLeftovers()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#activeTurn?.stop()
    await this.#server.end()
    if (this.#activeTurn) this.#endTurn(this.#activeTurn, { kind: 'interrupted' })
  }

  async #startTurn(prompt: string, play: ActiveCodexTurn): Promise<void> {
    if (this.#lostReason !== null) {
      const message = `Codex no longer has the conversation and begins a new one: ${this.#lostReason}`
      this.#report(play, { type: 'context.warning', kind: 'resume_lost', message })
      this.#lostReason = null
    }
    const { turn } = await this.#request('turn/start', { input: textInput(prompt) })
    this.#turnStarted(play, textIn(turn, 'id'))
  }

  /** The answer to `turn/start` and the notice of it come in any order. */
  #turnStarted(play: ActiveCodexTurn, id: string | undefined): void {
    if (!play.end || id === undefined || this.#turnIds[0] === id) return
    play.seen.turn ??= id
    this.#turnIds = [id, ...this.#turnIds.slice(0, 1)]
    // From here on the thread holds the turn, with all its calls.
    if (this.resume !== null) this.#report(play, { type: 'run.resume', resume: this.resume })
    for (const warning of play.seen.earlyWarnings.splice(0)) this.#report(play, warning)
  }

  async #onNotification(notice: RpcNotification): Promise<void> {
    const waiting = this.#activeTurn
    if (waiting) await Promise.race([waiting.turn.waitForRoom().catch(() => {}), waiting.stopped])
    // No await from here on: the turn may end meanwhile, and the state must match the reported events.
    const play = this.#activeTurn
    const seen = this.#state
    const events = runnerEventsOf(notice, seen)
    if (!play?.end) return
    const own = (textIn(notice.params, 'threadId') ?? this.#thread) === this.#thread
    const turn = objectOf(notice.params.turn)
    if (notice.method === 'turn/started') {
      if (own) this.#turnStarted(play, textIn(turn, 'id'))
      // Codex refused an interrupt that came before the turn had an id.
      if (play.interrupted) this.#interruptAll(play)
    }
    for (const event of events) if (!this.#report(play, event)) return
    if (notice.method === 'turn/completed' && own && turn.id === seen.turn) void this.#turnCompleted(play, turn)
  }

  async #turnCompleted(play: ActiveCodexTurn, { status, error }: JsonObject): Promise<void> {
    this.#turnIds = this.#turnIds.slice(0, 1)
    const { seen } = play
    if (status === 'completed') {
      const result = seen.answer
      return this.#endTurn(play, { kind: 'completed', ...(result !== undefined && { result }) })
    }
    if (status === 'interrupted') {
      await this.#endCommands(play)
      return this.#endTurn(play, { kind: 'interrupted' })
    }
    this.#endTurn(play, turnFailureOf(error ? objectOf(error) : seen.failure, seen.retriedError))
  }

  /** An interrupted turn leaves its commands running. */
  async #endCommands({ seen }: ActiveCodexTurn): Promise<void> {
    const threads = [this.#thread, ...seen.agents.keys()]
    const clean = (threadId: string) =>
      this.#server.request('thread/backgroundTerminals/clean', { threadId }, CODEX_INTERRUPT_MS)
    const [own] = await Promise.allSettled(threads.map(clean))
    if (own?.status === 'rejected') await this.#server.end()
    // A command that was just starting may have been missed.
    else await this.#server.endCommands()
  }

  #interruptAll({ seen }: ActiveCodexTurn): void {
    if (seen.turn !== null) this.#interruptTurn({ threadId: this.#thread, turnId: seen.turn })
    for (const turn of activeTurns(seen)) this.#interruptTurn(turn)
  }

  #interruptTurn(turn: { threadId: string; turnId: string }): void {
    // Codex does not answer for a turn that has ended.
    this.#server.request('turn/interrupt', turn, CODEX_INTERRUPT_MS).catch(() => {})
  }

  async #onRequest(asked: RpcRequest): Promise<void> {
    const play = this.#activeTurn
    const answer = play?.end ? await answerServerRequest(asked, play.seen, play.turn).catch(() => null) : null
    if (answer) this.#server.answer(asked, answer)
    else this.#server.refuse(asked, `Bridle has no answer to ${asked.method}.`)
  }

  #report(play: ActiveCodexTurn, event: RunnerEvent): boolean {
    if (!play.end) return false
    // After an interrupt only outcomes are reported, no more text.
    if (play.interrupted && DELTAS.has(event.type)) return true
    try {
      play.turn.report(event)
      return true
    } catch (error) {
      void this.#abandonTurn(play, { kind: 'failed', message: (error as Error).message, reason: 'runner_error' })
      return false
    }
  }

  #endTurn(play: ActiveCodexTurn, end: TurnEnd): void {
    if (!play.end) return
    const { end: resolve } = play
    // A subagent would continue with no run to follow it.
    for (const turn of activeTurns(play.seen)) this.#interruptTurn(turn)
    try {
      for (const event of closingEvents(play.seen, end.kind)) play.turn.report(event)
    } catch {
      // The run has ended: no reader wants the event.
    }
    play.end = null
    play.stop()
    resolve(play.forcedEnd ?? end)
  }

  /** Ends the turn now, although Codex may still be at work on it. */
  async #abandonTurn(play: ActiveCodexTurn, end: TurnEnd): Promise<void> {
    play.forcedEnd ??= end
    await this.#server.end(0)
    this.#endTurn(play, end)
  }

  async #onStartFailure(play: ActiveCodexTurn, message: string): Promise<void> {
    if (!play.end || !this.#server.alive) return
    await this.#abandonTurn(
      play,
      play.interrupted ? { kind: 'interrupted' } : { kind: 'failed', message, reason: 'engine_error' },
    )
  }

  #onExit(why: string): void {
    const play = this.#activeTurn
    if (!play) return
    const expected = play.interrupted || this.#isClosed
    this.#endTurn(play, expected ? { kind: 'interrupted' } : { kind: 'failed', message: why, reason: 'engine_gone' })
  }

  #request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#server.request(method, { threadId: this.#thread, ...params }, this.#controlMs)
  }
}

const newActiveTurn = (turn: TurnReporter, seen: CodexTurnState) => {
  const ended = Promise.withResolvers<TurnEnd>()
  const stopped = Promise.withResolvers<void>()
  return {
    ...{ turn, seen, ended: ended.promise, end: ended.resolve as ((end: TurnEnd) => void) | null },
    /** Stopping also ends the wait for room. */
    ...{ stopped: stopped.promise, stop: stopped.resolve, interrupted: false },
    /** The end of the turn, which overrides later reports of Codex. */
    forcedEnd: null as TurnEnd | null,
  }
}

const textInput = (text: string) => [{ type: 'text', text, text_elements: [] }]
