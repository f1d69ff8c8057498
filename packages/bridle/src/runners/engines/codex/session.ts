// An open session of Codex. Its process may end, and so may the turn, while a line is being read: a turn ends once, and
// nothing is said of it afterwards.
import type { JsonObject } from '../../../kernel/json.ts'
import type { RunnerEvent } from '../../protocol.ts'
import { type EngineSession, GO_ON, type Turn, type TurnEnd } from '../engine.ts'
import type { AppServer, Asked } from './app-server.ts'
import { answerTo } from './approvals.ts'
import { active } from './events/agents.ts'
import { eventsOf, leftOpen } from './events/notifications.ts'
import { type Notice, newTurn, type Seen, seenNothing } from './events/turn-state.ts'
import { failureOf } from './failures.ts'
import { objectOf, textIn } from './lenient-json.ts'
import type { Place } from './thread.ts'

/** How long codex may take to stop before it is killed. Within the time that the runner gives an interrupt. */
const INTERRUPT_MS = 1_000

/** The turn under way. */
interface Play {
  readonly turn: Turn
  readonly seen: Seen
  readonly ended: Promise<TurnEnd>
  end: ((end: TurnEnd) => void) | null
  /** Nobody waits for room any more. */
  readonly stopped: Promise<void>
  stop(): void
  interrupted: boolean
  /** How it ends, whatever codex says from now on. */
  doom: TurnEnd | null
}

export class CodexSession implements EngineSession {
  readonly #server: AppServer
  readonly #controlMs: number
  readonly #thread: string
  #turns: readonly string[]
  #lost: string | null
  /** The thread stands where the turn before it stopped. */
  #isExact: boolean
  #seen: Seen
  #play: Play | null = null
  #closed = false

  constructor(server: AppServer, { thread, turn, lost, isExact, model }: Place, controlMs: number) {
    this.#server = server
    this.#controlMs = controlMs
    this.#thread = thread
    this.#turns = turn === null ? [] : [turn]
    this.#lost = lost
    this.#isExact = isExact
    this.#seen = { ...seenNothing(thread), model }
    server.listen({ notice: (notice) => this.#notice(notice), asked: (asked) => void this.#asked(asked) })
    void server.gone.then((why) => this.#gone(why))
  }

  get resume(): string | null {
    return this.#turns.length === 0 ? null : [this.#thread, ...this.#turns].join(':')
  }

  get sessionId(): string | null {
    return this.#thread
  }

  get alive(): boolean {
    return this.#server.alive && !this.#closed
  }

  async play(prompt: string, turn: Turn, continues = false): Promise<TurnEnd> {
    if (this.#play) return { kind: 'failed', message: 'Another turn is under way.', reason: 'engine_busy' }
    if (!this.alive) return { kind: 'failed', message: 'Codex is not running any more.', reason: 'engine_gone' }
    this.#seen = newTurn(this.#seen)
    const play = newPlay(turn, this.#seen)
    this.#play = play
    const words = continues && this.#isExact ? GO_ON : prompt
    this.#isExact = true
    this.#begin(words, play).catch((error: Error) => this.#broken(play, error.message))
    const end = await play.ended
    this.#play = null
    return end
  }

  async interrupt(): Promise<void> {
    const play = this.#play
    if (!play?.end) return
    play.interrupted = true
    play.stop()
    this.#interruptAll(play)
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, INTERRUPT_MS, 'late').unref())
    if ((await Promise.race([play.ended, late])) === 'late') await this.#drop(play, { kind: 'interrupted' })
  }

  async steer(text: string): Promise<void> {
    const turn = this.#play?.end && !this.#play.interrupted ? this.#play.seen.turn : null
    if (turn == null) throw new Error('No turn is under way.')
    await this.#request('turn/steer', { expectedTurnId: turn, input: inputOf(text) })
  }

  /** An agent that Codex started is a thread with a turn of its own. */
  async stopTask(taskId: string): Promise<boolean> {
    const play = this.#play
    const turn = play?.end ? active(play.seen).find(({ threadId }) => threadId === taskId) : undefined
    if (!turn) return false
    await this.#server.request('turn/interrupt', turn, INTERRUPT_MS)
    return true
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#play?.stop()
    await this.#server.end()
    if (this.#play) this.#finish(this.#play, { kind: 'interrupted' })
  }

  async #begin(prompt: string, play: Play): Promise<void> {
    if (this.#lost !== null) {
      const message = `Codex no longer has the conversation and begins a new one: ${this.#lost}`
      this.#say(play, { type: 'context.warning', kind: 'resume_lost', message })
      this.#lost = null
    }
    const { turn } = await this.#request('turn/start', { input: inputOf(prompt) })
    this.#started(play, textIn(turn, 'id'))
  }

  /** The answer to `turn/start` and the notice of it come in any order. */
  #started(play: Play, id: string | undefined): void {
    if (!play.end || id === undefined || this.#turns[0] === id) return
    play.seen.turn ??= id
    this.#turns = [id, ...this.#turns.slice(0, 1)]
    // Its thread has the turn from here on, with all calls that are made in it.
    if (this.resume !== null) this.#say(play, { type: 'run.resume', resume: this.resume })
  }

  async #notice(notice: Notice): Promise<void> {
    const waiting = this.#play
    if (waiting) await Promise.race([waiting.turn.room().catch(() => {}), waiting.stopped])
    // From here on without a pause: what was seen and what was said of it are one, should the turn end meanwhile.
    const play = this.#play
    const seen = this.#seen
    const events = eventsOf(notice, seen)
    if (!play?.end) return
    const own = (textIn(notice.params, 'threadId') ?? this.#thread) === this.#thread
    const turn = objectOf(notice.params.turn)
    if (notice.method === 'turn/started') {
      if (own) this.#started(play, textIn(turn, 'id'))
      // One that came earlier was refused.
      if (play.interrupted) this.#interruptAll(play)
    }
    for (const event of events) if (!this.#say(play, event)) return
    if (notice.method === 'turn/completed' && own && turn.id === seen.turn) void this.#completed(play, turn)
  }

  async #completed(play: Play, { status, error }: JsonObject): Promise<void> {
    this.#turns = this.#turns.slice(0, 1)
    const { seen } = play
    if (status === 'completed') {
      const result = seen.answer
      return this.#finish(play, { kind: 'completed', ...(result !== undefined && { result }) })
    }
    if (status === 'interrupted') {
      await this.#endCommands(play)
      return this.#finish(play, { kind: 'interrupted' })
    }
    this.#finish(play, failureOf(error ? objectOf(error) : seen.failure, seen.retried))
  }

  /** An interrupted turn leaves its commands running. */
  async #endCommands({ seen }: Play): Promise<void> {
    const threads = [this.#thread, ...seen.agents.keys()]
    const clean = (threadId: string) =>
      this.#server.request('thread/backgroundTerminals/clean', { threadId }, INTERRUPT_MS)
    const [own] = await Promise.allSettled(threads.map(clean))
    if (own?.status === 'rejected') await this.#server.end()
    // One that was just being started may have been missed.
    else await this.#server.endCommands()
  }

  #interruptAll({ seen }: Play): void {
    if (seen.turn !== null) this.#interruptTurn({ threadId: this.#thread, turnId: seen.turn })
    for (const turn of active(seen)) this.#interruptTurn(turn)
  }

  #interruptTurn(turn: { threadId: string; turnId: string }): void {
    // It does not answer for a turn that has ended.
    this.#server.request('turn/interrupt', turn, INTERRUPT_MS).catch(() => {})
  }

  async #asked(asked: Asked): Promise<void> {
    const play = this.#play
    const answer = play?.end ? await answerTo(asked, play.seen, play.turn).catch(() => null) : null
    if (answer) this.#server.answer(asked, answer)
    else this.#server.refuse(asked, `Bridle has no answer to ${asked.method}.`)
  }

  #say(play: Play, event: RunnerEvent): boolean {
    if (!play.end) return false
    // What is said after an interrupt is only how things ended.
    if (play.interrupted && DELTAS.has(event.type)) return true
    try {
      play.turn.say(event)
      return true
    } catch (error) {
      void this.#drop(play, { kind: 'failed', message: (error as Error).message, reason: 'runner_error' })
      return false
    }
  }

  #finish(play: Play, end: TurnEnd): void {
    if (!play.end) return
    const { end: resolve } = play
    // An agent would go on unheard.
    for (const turn of active(play.seen)) this.#interruptTurn(turn)
    try {
      for (const event of leftOpen(play.seen, end.kind)) play.turn.say(event)
    } catch {
      // Nobody listens.
    }
    play.end = null
    play.stop()
    resolve(play.doom ?? end)
  }

  /** The turn's end is certain; what codex still does is not. */
  async #drop(play: Play, end: TurnEnd): Promise<void> {
    play.doom ??= end
    await this.#server.end(0)
    this.#finish(play, end)
  }

  async #broken(play: Play, message: string): Promise<void> {
    if (!play.end || !this.#server.alive) return
    await this.#drop(
      play,
      play.interrupted ? { kind: 'interrupted' } : { kind: 'failed', message, reason: 'engine_error' },
    )
  }

  #gone(why: string): void {
    const play = this.#play
    if (!play) return
    const expected = play.interrupted || this.#closed
    this.#finish(play, expected ? { kind: 'interrupted' } : { kind: 'failed', message: why, reason: 'engine_gone' })
  }

  #request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#server.request(method, { threadId: this.#thread, ...params }, this.#controlMs)
  }
}

const DELTAS = new Set(['assistant.delta', 'thinking.delta'])

const newPlay = (turn: Turn, seen: Seen): Play => {
  const ended = Promise.withResolvers<TurnEnd>()
  const stopped = Promise.withResolvers<void>()
  const more = { stopped: stopped.promise, stop: stopped.resolve, interrupted: false, doom: null }
  return { turn, seen, ended: ended.promise, end: ended.resolve, ...more }
}

const inputOf = (text: string) => [{ type: 'text', text, text_elements: [] }]
