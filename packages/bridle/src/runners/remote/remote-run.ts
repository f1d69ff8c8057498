// One run in a sandbox, as far as this process follows it: begun or taken up, frame by frame into the outlet.
import type { ReportItem } from '../../kernel/commands.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Job, RunEnd } from '../../kernel/ports/runner.ts'
import type { Clock, Digest } from '../../kernel/ports/store.ts'
import { type Outlet, OutletClosed } from '../../kernel/session/run-reporter.ts'
import { type EngineSettings, isTerminal, type RunnerEvent, type RunnerFrame } from '../protocol.ts'
import type { Sandbox, SandboxProvider } from '../sandboxes/provider.ts'
import type { SilenceRules } from './liveness-monitor.ts'
import { bearersOf, requestOf, runPath } from './run-handle.ts'
import { type RunnerClient, runnerClient, type Said, type Stream, Unreachable } from './runner-client.ts'
import { BrokenStream, runnerFrames } from './runner-frames.ts'
import { NoSandboxFree, type SandboxLine, type WaitLimits } from './sandbox-queue.ts'
import { type Told, translated } from './translation.ts'

export interface SandboxRunnerOptions {
  readonly engine: string
  readonly provider: SandboxProvider
  readonly clock: Clock
  readonly digest: Digest
  /** How the engine is set up unless the session says otherwise. */
  readonly settings?: EngineSettings
  /** The bearer of one run. Of the run and attempt alone, so that the next process of ours knows it too. */
  readonly runToken: (job: Job) => Promise<string | null>
  /** What the sandbox gets to reach its model with, for as long as the run lives. */
  readonly credentials: Credentials
  /** When a silent stream counts as broken. */
  readonly silence?: SilenceRules
  /** How a run waits for a free sandbox. */
  readonly waiting?: WaitLimits
}

export type RunVars = { readonly [name: string]: string | null }

export interface Credentials {
  grant(job: Job): Promise<RunVars>
  /** For a sandbox that is started for the job, and may stay for later runs of its session. Absent: it gets none at its start. */
  grantAtStart?(job: Job): Promise<RunVars>
  revoke(job: Job): void
}

/** The run goes on: its runner may have a way to its model that nobody knows of here. */
const NO_KEY = {
  type: 'transport_diagnostic',
  payload: {
    status: 'degraded',
    kind: 'credentials',
    reason:
      'The runner could not be given a key: it has no PUT /env, and says that it has none of its own. Set its key where it is started.',
  },
} as const
/** Thoughts come in crumbs: one event for what comes within this time. */
const THINKING_MS = 100
/** And no more than that at once. */
const THINKING_CHARS_MAX = 20_000
/** Frames, and their text, between acknowledgements where nothing waits for one: well below what makes an engine wait. */
const ACK_FRAMES = 200
const ACK_CHARS = 500_000
const ACK_RETRY_MS = 300
const PARAGRAPH = '\n\n'

export interface FollowedRunOptions extends SandboxRunnerOptions {
  readonly line: SandboxLine
}

export class FollowedRun {
  readonly #options: FollowedRunOptions
  readonly #job: Job
  readonly #sandbox: Sandbox
  readonly #outlet: Outlet
  readonly #told: Told = { toolNames: new Map() }
  readonly #leave = new AbortController()
  #thought: { text: string; frame: number; forget: () => void } | null = null
  /** Up to here it is in the log; up to there the runner knows. */
  #committed = 0
  #acknowledged = 0
  #isTelling = false
  #hasKey = true
  /** The sums of the turn, held back until the next frame. */
  #total: ReportItem[] = []
  #isLed: boolean
  #frames = 0
  #chars = 0

  constructor(options: FollowedRunOptions, job: Job, sandbox: Sandbox, outlet: Outlet) {
    this.#options = options
    this.#job = job
    this.#sandbox = sandbox
    this.#outlet = outlet
    this.#isLed = !job.continues?.isMidText
    outlet.onClose(() => this.#leave.abort())
  }

  async begin(env: RunVars): Promise<RunEnd> {
    const { prompt, resume, continues, epoch } = this.#job
    const token = await this.#options.runToken(this.#job)
    const body = {
      prompt,
      requestId: requestOf(this.#job),
      engine: this.#options.engine,
      resume,
      ...(continues && { continues: true }),
      epoch,
      acknowledges: true,
      settings: settingsFor(this.#options.settings ?? {}, this.#job),
      env,
      ...(token !== null && { token }),
    }
    const runner = this.#clientOf([this.#sandbox.token])
    if (!this.#hasKey) await this.#outlet.remark({ type: 'event', event: NO_KEY })
    const { line, provider } = this.#options
    const place = { name: this.#sandbox.id, isSaid: this.#job.awaitsSandbox ?? false }
    const asked = await line.wait(this.#outlet, place, async () => {
      const answer = await this.#ask(() =>
        runner.stream('/query', { body: body as JsonObject, signal: this.#leave.signal }),
      )
      if (isBusy(answer)) throw new NoSandboxFree('The runner has another run.')
      return answer
    })
    if (asked === 'cut' || 'frames' in asked) return this.#follow(asked)
    if (asked.status === 410) return 'lost'
    // This sandbox does not know us, and never will: the next run has another.
    if (asked.status === 401) await provider.stop(this.#sandbox)
    throw new Error(refusalText(asked.status, asked.body))
  }

  /** Where a run that was begun, by whichever process, is taken up. */
  async goOn(env: RunVars): Promise<RunEnd> {
    const { frame } = this.#job
    const runner = await this.#client()
    const after = Math.max(0, frame)
    const path = `${runPath(this.#job)}/events`
    const asked = await this.#ask(() => runner.stream(path, { after, signal: this.#leave.signal }))
    // Our word on it may have died with the last owner, and a call waits for that.
    this.#acknowledge(after)
    // The last owner died before it could say that the wait is over.
    if (asked !== 'cut' && 'frames' in asked && this.#job.awaitsSandbox)
      await this.#outlet.remark({ type: 'sandbox_awaited', reason: null })
    if (asked === 'cut' || 'frames' in asked) return this.#follow(asked)
    // This very runner never heard of it: the owner died between saying that it starts and starting it, or while it waited.
    const isUnbegun = asked.body.error?.type === 'run_unknown' || (asked.status === 404 && this.#job.awaitsSandbox)
    if (isUnbegun && frame <= 0) return this.begin(env)
    if (asked.status === 404 || asked.status === 410) return 'lost'
    throw new Error(refusalText(asked.status, asked.body))
  }

  /** Before each run. Variables that the query does not carry are set here, for all that the runner plays. */
  async equip(): Promise<RunVars> {
    const { provider, credentials } = this.#options
    const env = await credentials.grant(this.#job)
    const isTaken = this.#sandbox.hasRunEnv || (await provider.setEnvVars(this.#sandbox, env))
    if (!isTaken && Object.keys(env).length > 0) this.#hasKey = await this.#hasKeyOf(Object.keys(env))
    return env
  }

  /** A runner that takes no variables may have had them at its start, and says so. */
  async #hasKeyOf(names: readonly string[]): Promise<boolean> {
    const { provider } = this.#options
    const health = await provider.health(this.#sandbox)
    return (names.includes('OPENAI_API_KEY') ? health?.hasOpenAIKey : health?.hasAnthropicKey) ?? false
  }

  /** When it is taken up: the last process's variables ended with that process. */
  async equipAgain(): Promise<RunVars> {
    const env = await this.equip()
    if (!this.#sandbox.hasRunEnv) return env
    const runner = await this.#client()
    const { status, body } = await runner.put(`${runPath(this.#job)}/env`, { vars: env, epoch: this.#job.epoch })
    // A run that is unknown or over takes none: following it tells which.
    if (status >= 300 && ![401, 404, 410].includes(status)) throw new Error(refusalText(status, body))
    // A runner from before runs had variables of their own.
    if (body.error?.type === 'not_found') await this.#options.provider.setEnvVars(this.#sandbox, env)
    return env
  }

  async #client(): Promise<RunnerClient> {
    return this.#clientOf(await bearersOf(this.#options.runToken, this.#job, this.#sandbox))
  }

  /** A runner without `hasRunEnv` is written from the document alone: it sends no comments until it has sent one. */
  #clientOf(bearers: readonly (string | null)[]): RunnerClient {
    const { provider, silence } = this.#options
    const sandbox = this.#sandbox
    const askBusy = async () => (await provider.health(sandbox))?.busy ?? false
    return runnerClient(sandbox, bearers, { ...(silence && { silence }), askBusy: sandbox.hasRunEnv ? null : askBusy })
  }

  async #ask(ask: () => Promise<Stream | Said>): Promise<Stream | Said | 'cut'> {
    try {
      return await ask()
    } catch (error) {
      if (this.#outlet.closed) throw new OutletClosed('nobody listens')
      if (error instanceof Unreachable) return 'cut'
      throw error
    }
  }

  async #follow(stream: Stream | 'cut'): Promise<RunEnd> {
    if (stream === 'cut') return 'cut'
    const frames = runnerFrames(stream.frames, undefined, stream.commented)
    try {
      for (;;) {
        const next = await frames.next().catch((cause) => this.#broken(cause))
        if (next === 'cut' || next.done) return await this.#ended()
        await this.#take(next.value)
        if (isTerminal(next.value.event)) return 'done'
      }
    } catch (error) {
      // What cannot be logged ends here; the engine should not go on unheard.
      if (!this.#outlet.closed) await this.#stop()
      throw error
    } finally {
      this.#thought?.forget()
      this.#leave.abort()
    }
  }

  async #stop(): Promise<void> {
    const { epoch } = this.#job
    const runner = await this.#client()
    await runner.post(`${runPath(this.#job)}/cancel`, { epoch }).catch(() => {})
  }

  /** A stream that breaks is taken up again; one that makes no sense is not. */
  #broken(cause: unknown): 'cut' {
    if (this.#outlet.closed) throw new OutletClosed('nobody listens')
    if (cause instanceof BrokenStream) throw new Error(`What the runner says makes no sense: ${cause.message}`)
    return 'cut'
  }

  async #ended(): Promise<RunEnd> {
    await this.#flushThought()
    return 'cut'
  }

  async #take({ id, event, chars }: RunnerFrame): Promise<void> {
    const frame = id ?? this.#outlet.frame + 1
    // Frames that were committed are passed over. A run's end was not, or nobody would read: it must not pass for an old one.
    if (isTerminal(event) && frame <= this.#outlet.frame)
      throw new Error(
        `What the runner says makes no sense: its last frame is ${frame}, and frame ${this.#outlet.frame} came before.`,
      )
    this.#frames += 1
    this.#chars += chars
    if (event.type === 'thinking.delta') await this.#think(event.text, frame)
    else await this.#say(event, frame)
    // A call waits for this before it acts.
    if (event.type === 'tool.started' || isTerminal(event)) return this.#acknowledge(frame)
    if (this.#frames < ACK_FRAMES && this.#chars < ACK_CHARS) return
    await this.#flushThought()
    await this.#outlet.settled()
    this.#acknowledge(frame)
  }

  async #say(event: RunnerEvent, frame: number): Promise<void> {
    await this.#flushThought()
    const items = this.#total
    this.#total = []
    // Reported with the end that follows it: a budget that the last sums cross does not stop what has ended.
    if (event.type === 'usage' && event.total) {
      this.#total = [...items, ...(await translated(event, this.#told, this.#options.digest))]
      return
    }
    const heard = this.#inPlace(event)
    if (heard.type === 'assistant.delta' && items.length === 0) return this.#outlet.token(heard.text, frame)
    items.push(...(await translated(heard, this.#told, this.#options.digest)))
    if (items.length > 0) await this.#outlet.report(items, frame)
  }

  /** Text of a run that goes on stands behind what was said before it. */
  #inPlace(event: RunnerEvent): RunnerEvent {
    if (event.type === 'assistant.delta') return { ...event, text: this.#led(event.text) }
    return event.type === 'assistant.text' ? { ...event, text: this.#retold(event.text) } : event
  }

  /** The first text of a run that goes on is a paragraph of its own. */
  #led(text: string): string {
    const lead = this.#isLed ? '' : PARAGRAPH
    this.#isLed = true
    return lead + text
  }

  /** The whole text of the run, without what was said before it. */
  #retold(text: string): string {
    if (!this.#job.continues?.isMidText) return text
    this.#isLed = text !== ''
    return text === '' ? '' : PARAGRAPH + text
  }

  async #think(text: string, frame: number): Promise<void> {
    const forget =
      this.#thought?.forget ??
      this.#options.clock.after(THINKING_MS, () => {
        this.#flushThought().catch(() => {})
      })
    this.#thought = { text: (this.#thought?.text ?? '') + text, frame, forget }
    if (this.#thought.text.length > THINKING_CHARS_MAX) await this.#flushThought()
  }

  async #flushThought(): Promise<void> {
    const thought = this.#thought
    if (!thought) return
    this.#thought = null
    thought.forget()
    const event = { type: 'thinking' as const, payload: { text: thought.text } }
    await this.#outlet.report([{ type: 'event', event }], thought.frame)
  }

  #acknowledge(frame: number): void {
    this.#frames = 0
    this.#chars = 0
    this.#committed = Math.max(this.#committed, frame)
    if (!this.#isTelling) this.#tell().catch(() => {})
  }

  /** Until it is heard: an engine may wait for it. */
  async #tell(): Promise<void> {
    this.#isTelling = true
    const runner = await this.#client()
    for (let tries = 0; this.#acknowledged < this.#committed && !(this.#outlet.closed && tries > 0); tries++) {
      const frame = this.#committed
      const said = await runner.post(`${runPath(this.#job)}/ack`, { frame, epoch: this.#job.epoch }).catch(() => null)
      // A runner that answers at all has heard it, or has no use for it.
      if (said && said.status < 500) this.#acknowledged = frame
      else await this.#sleep(ACK_RETRY_MS)
    }
    this.#isTelling = false
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve))
  }
}

/** A runner of the document says 409 and nothing else; ours names why, since an id may be in conflict too. */
const isBusy = (answer: Stream | Said | 'cut'): boolean =>
  typeof answer === 'object' &&
  'status' in answer &&
  answer.status === 409 &&
  (answer.body.error?.type === 'busy' || answer.body.error?.type === undefined)

export const refusalText = (status: number, { error }: Said['body']): string =>
  error?.message ?? `The runner answered ${status}.`

/** The caller of one run may choose its model and spend less; what it may do unasked is not the caller's. */
export const settingsFor = (agent: EngineSettings, { settings: session, input }: Pick<Job, 'settings' | 'input'>) => {
  const asked = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}
  const pick = (from: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (isSet(from[name]) ? [[name, from[name]]] : [])))
  const chosen = { ...agent, ...pick(session, ['model', 'permission_mode']), ...pick(asked, ['model']) }
  for (const name of ['max_budget_usd', 'max_turns'] as const) {
    const limits = [agent[name], session[name], asked[name]].filter((limit) => typeof limit === 'number')
    if (limits.length > 0) chosen[name] = Math.min(...limits)
  }
  return chosen as EngineSettings
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null
