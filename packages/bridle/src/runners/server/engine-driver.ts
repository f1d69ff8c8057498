// Plays runs on engines, one at a time, and sees to it that each ends: once, however the engine behaves.
import { canonical } from '../../kernel/json.ts'
import type { Engine, EngineSession, TurnEnd } from '../engines/engine.ts'
import type { RunnerQuery, RunnerVerdict } from '../protocol.ts'
import type { EngineLauncher } from '../sandboxes/isolation/engine-start.ts'
import { within } from '../timeout.ts'
import type { Provider } from './relay.ts'
import type { RunRecord } from './run-record.ts'

/** What is taken for a run that will not end by itself. */
export interface Watch {
  /** The engine says nothing for this long, with no call and no question open. Default 10 minutes. */
  readonly stallMs?: number
  /** The whole run. Default 12 hours. */
  readonly runMs?: number
}

export interface PlayerOptions extends Watch {
  readonly workFolder: string
  readonly stateFolder: string
  readonly privateFolder: string
  /** Builds the walls on first use. */
  readonly launcher: (provider: Provider) => Promise<EngineLauncher>
}

const STALL_MS = 600_000
const RUN_MS = 12 * 3_600_000
const LOOK_MS = 500
/** How long an interrupted engine may take before its process is ended. Within the time a session gives an abort. */
const INTERRUPT_MS = 1_500
/** How long an engine may take to open. */
const OPEN_MS = 60_000
/** And an ended process to be gone. */
const CLOSE_MS = 3_000
/** Refusals of a key before it is taken for wrong: engines try again for minutes. */
const REFUSALS_MAX = 2

export class RunPlayer {
  readonly #options: PlayerOptions
  readonly #answers = new Map<RunRecord, Set<string>>()
  readonly #steers = new Map<RunRecord, Set<string>>()
  #warm: Warm | null = null
  #playing: Playing | null = null
  #isClosed = false

  constructor(options: PlayerOptions) {
    this.#options = options
  }

  /** Resolves when the run has ended and the next may come. Never rejects. */
  async play(record: RunRecord, engine: Engine, query: RunnerQuery, hasKey: boolean): Promise<void> {
    record.say({ type: 'run.started', requestId: record.requestId, engine: engine.name })
    const playing = new Playing(record)
    this.#playing = playing
    const end = await this.#turn(playing, engine, query, hasKey)
    const { session } = playing
    if (session?.alive && !playing.isBroken && !this.#isClosed)
      this.#warm = { name: nameOf(engine, session.resume, query), session }
    else if (session && !playing.isBroken) await closed(session)
    this.#playing = null
    this.#answers.delete(record)
    this.#steers.delete(record)
    // Last: whoever hears it may ask for the next run at once.
    playing.end(end)
    playing.leave()
  }

  async #turn(playing: Playing, engine: Engine, query: RunnerQuery, hasKey: boolean): Promise<TurnEnd> {
    try {
      const needs = (await engine.needs()) ?? (hasKey ? null : KEY_MISSING[engine.provider])
      if (needs !== null) return { kind: 'failed', message: needs, reason: 'not_configured' }
      const session = await this.#openInTime(engine, query)
      playing.session = session
      if (playing.verdict) return playing.verdict
      const watched = this.#watch(playing)
      const played = Promise.race([session.play(query.prompt, playing.record, query.continues), playing.given])
      const end = await played.finally(() => clearInterval(watched))
      // The engine's last word counts, unless it was made to stop for a reason of ours.
      return playing.verdict ?? end
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', message: `The engine could not be started: ${message}`, reason: 'engine' }
    }
  }

  /** When it has stopped, how the engine goes on from there. Not stopped: it is still being opened. */
  async cancel(record: RunRecord): Promise<{ stopped: boolean; resume: string | null }> {
    const playing = this.#playing
    if (playing?.record === record && !record.end) await this.#stop(playing, { kind: 'interrupted' })
    if (!record.end) return { stopped: false, resume: null }
    const { end } = record
    const resume = end.type === 'run.completed' || end.type === 'run.error' ? (end.resume ?? null) : null
    return { stopped: true, resume }
  }

  /** Nobody follows it, and nobody came back. */
  abandon(record: RunRecord): void {
    const playing = this.#playing
    if (playing?.record !== record) return
    const message = 'Nobody followed the run any more.'
    this.#stop(playing, { kind: 'failed', message, reason: 'abandoned' }).catch(() => {})
  }

  providerSaid(status: number): void {
    const playing = this.#playing
    if (!playing) return
    playing.refusals = status === 401 ? playing.refusals + 1 : 0
    if (playing.refusals < REFUSALS_MAX) return
    const message = 'The provider refuses the key. Check that it is right and may be used.'
    this.#stop(playing, { kind: 'failed', message, reason: 'key_refused' }).catch(() => {})
  }

  /** The engine used more than it may, and is being ended. */
  exceeded(message: string): void {
    const playing = this.#playing
    if (playing) this.#stop(playing, { kind: 'failed', message, reason: 'resource_limit' }).catch(() => {})
    else this.#cool().catch(() => {})
  }

  /** Whether somebody asked. The same answer twice is one answer. */
  async answer(record: RunRecord, toolUseId: string, verdict: RunnerVerdict): Promise<boolean> {
    const id = `${toolUseId}/${verdict.answerId ?? ''}`
    if (verdict.answerId !== undefined && this.#answers.get(record)?.has(id)) return true
    // Before it is weighed: the same answer may come twice at once.
    remember(this.#answers, record, id)
    if (await record.answer(toolUseId, verdict)) return true
    this.#answers.get(record)?.delete(id)
    return false
  }

  async steer(record: RunRecord, { id, text }: { id: string; text: string }): Promise<boolean> {
    const playing = this.#playing
    if (playing?.record !== record || !playing.session) return false
    if (this.#steers.get(record)?.has(id)) return true
    remember(this.#steers, record, id)
    try {
      await playing.session.steer(text)
      return true
    } catch {
      this.#steers.get(record)?.delete(id)
      return false
    }
  }

  /** False = the engine has no such task under way, or cannot stop one by itself. */
  async stopTask(record: RunRecord, taskId: string): Promise<boolean> {
    const playing = this.#playing
    if (playing?.record !== record) return false
    return (await playing.session?.stopTask?.(taskId).catch(() => false)) ?? false
  }

  async close(): Promise<void> {
    // An engine may still be opening: it is then closed as soon as it is there.
    this.#isClosed = true
    const playing = this.#playing
    if (playing)
      await this.#stop(playing, {
        kind: 'failed',
        message: 'The runner stopped.',
        reason: 'runner_stopped',
        transient: true,
      })
    await this.#cool()
  }

  async #openInTime(engine: Engine, query: RunnerQuery): Promise<EngineSession> {
    const opening = this.#open(engine, query)
    const session = await within(OPEN_MS, opening)
    if (session !== 'late') return session
    // Should it come after all, nobody waits for it.
    opening.then(closed, () => {})
    throw new Error('it took too long')
  }

  async #open(engine: Engine, query: RunnerQuery): Promise<EngineSession> {
    const warm = this.#warm
    this.#warm = null
    if (warm?.session.alive && warm.name === nameOf(engine, query.resume ?? null, query) && query.resume)
      return warm.session
    this.#warm = warm
    await this.#cool()
    const { workFolder, stateFolder, privateFolder, launcher } = this.#options
    return engine.open({
      workFolder,
      stateFolder,
      privateFolder,
      launcher: () => launcher(engine.provider),
      resume: query.resume ?? null,
      settings: query.settings ?? {},
    })
  }

  async #cool(): Promise<void> {
    const warm = this.#warm
    this.#warm = null
    if (warm) await closed(warm.session)
  }

  /** Gently, then not. What it ends as is settled here. */
  async #stop(playing: Playing, end: TurnEnd): Promise<void> {
    playing.verdict ??= end
    playing.stop ??= (async () => {
      const { session, record } = playing
      if (!session) return
      const gently = within(INTERRUPT_MS, Promise.all([session.interrupt().catch(() => {}), ended(record)]))
      if ((await gently) !== 'late') return
      playing.isBroken = true
      await closed(session)
      playing.give(playing.verdict ?? end)
    })()
    await playing.stop
    await within(CLOSE_MS, playing.left)
  }

  #watch(playing: Playing): NodeJS.Timeout {
    const { stallMs = STALL_MS, runMs = RUN_MS } = this.#options
    const begun = Date.now()
    return setInterval(() => {
      const { record } = playing
      const now = Date.now()
      const isSilent = now - record.saidAt > stallMs && !record.isWaiting
      if (!isSilent && now - begun < runMs) return
      const message = isSilent
        ? `The engine said nothing for ${Math.round(stallMs / 1000)} seconds.`
        : `The run took longer than ${Math.round(runMs / 1000)} seconds.`
      this.#stop(playing, { kind: 'failed', message, reason: isSilent ? 'stalled' : 'too_long' }).catch(() => {})
    }, LOOK_MS)
  }
}

class Playing {
  readonly record: RunRecord
  readonly given: Promise<TurnEnd>
  give: (end: TurnEnd) => void = () => {}
  /** The next may come. */
  readonly left: Promise<void>
  leave: () => void = () => {}
  session: EngineSession | null = null
  stop: Promise<void> | null = null
  /** What we decided it ends as. */
  verdict: TurnEnd | null = null
  isBroken = false
  refusals = 0

  constructor(record: RunRecord) {
    this.record = record
    this.given = new Promise((resolve) => {
      this.give = resolve
    })
    this.left = new Promise((resolve) => {
      this.leave = resolve
    })
  }

  end(end: TurnEnd): void {
    const { session, record } = this
    const resume = session?.resume ?? null
    const handle = resume === null ? {} : { resume }
    if (end.kind === 'completed') {
      const named = session?.sessionId ? { sessionId: session.sessionId } : {}
      record.say({
        type: 'run.completed',
        ...(end.result !== undefined && { result: end.result }),
        ...named,
        ...handle,
      })
    } else if (end.kind === 'interrupted') {
      record.say({ type: 'run.error', message: 'The run was cancelled.', reason: 'cancelled', ...handle })
    } else {
      const { kind: _kind, ...failure } = end
      record.say({ type: 'run.error', ...failure, ...handle })
    }
  }
}

interface Warm {
  readonly name: string
  readonly session: EngineSession
}

const KEY_MISSING: { readonly [P in Provider]: string } = {
  anthropic: 'There is no key for Anthropic. Set ANTHROPIC_API_KEY where the server or the runner is started.',
  openai: 'There is no key for OpenAI. Set OPENAI_API_KEY where the server or the runner is started.',
}

const nameOf = (engine: Engine, resume: string | null, { settings = {} }: RunnerQuery): string =>
  canonical([engine.name, resume, settings as { [name: string]: string }])

const remember = (known: Map<RunRecord, Set<string>>, record: RunRecord, id: string): void => {
  known.set(record, (known.get(record) ?? new Set()).add(id))
}

/** Whatever its engine says to it. */
const closed = async (session: EngineSession): Promise<void> => {
  await within(
    CLOSE_MS,
    session.close().catch(() => {}),
  )
}

const ended = async (record: RunRecord): Promise<void> => {
  while (!record.end) await record.change()
}
