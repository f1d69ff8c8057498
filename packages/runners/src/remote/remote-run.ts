// A run in a sandbox as this process follows it: started or resumed, then reported frame by frame.

import type { JsonObject } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Job, RunEnd } from '@bridle/kernel/ports/runner'
import { ReporterClosedError, type RunReporter } from '@bridle/kernel/session/run-reporter'
import { effectiveRepository, effectiveSettings } from '../credentials/effective-settings.ts'
import { providers } from '../credentials/providers.ts'
import { promptWithFiles } from '../files/sent-files.ts'
import {
  isTerminalEvent,
  type RunEnvVars,
  type RunMcpServer,
  type RunnerEvent,
  type RunnerFrame,
} from '../protocol/protocol.ts'
import type { OwnToolRun } from './own-tools.ts'
import type { Sandbox } from './provider.ts'
import type { RemoteRunnerOptions } from './remote-runner.ts'
import { requestIdOf, runBearers, runPath } from './run-handle.ts'
import {
  fileSender,
  type RunnerClient,
  type RunnerResponse,
  type RunnerStream,
  RunnerUnreachableError,
  runnerClient,
  runnerRefusalText,
} from './runner-client.ts'
import { BrokenStreamError, readRunnerFrames } from './runner-frames.ts'
import { NoFreeSandboxError, type SandboxQueue } from './sandbox-queue.ts'
import { type TranslationState, translateEvent } from './translation.ts'

/** Thinking arrives in fragments of a few characters: ten events a second read as smoothly. */
const THINKING_MS = 100
/** Thinking in one event: a few screens, so that a flood within the interval still reaches the reader. */
const THINKING_CHARS_MAX = 20_000
/** Frames between acknowledgements that no call waits for: far fewer than make an engine wait. */
const ACKNOWLEDGED_FRAMES = 200
/** Characters between acknowledgements, an eighth of what makes an engine wait. */
const ACKNOWLEDGED_CHARS = 500_000
/** A runner that does not take an acknowledgement is restarting or busy; three requests a second do not add to that. */
const ACKNOWLEDGE_RETRY_MS = 300

/** The run continues: its runner may reach its model in a way that the server does not know. */
const NO_KEY_DIAGNOSTIC = {
  type: 'transport_diagnostic',
  payload: {
    status: 'degraded',
    kind: 'credentials',
    reason:
      'The runner could not be given a key: it has no PUT /env, and says that it has none of its own. Set its key where it is started.',
  },
} as const
const PARAGRAPH = '\n\n'

export interface RemoteRunOptions extends RemoteRunnerOptions {
  readonly queue: SandboxQueue
}

export class RemoteRun {
  readonly #options: RemoteRunOptions
  readonly #job: Job
  readonly #sandbox: Sandbox
  readonly #reporter: RunReporter
  readonly #ownTools: OwnToolRun
  readonly #translation: TranslationState
  readonly #streamAbort = new AbortController()
  #pendingThinking: { text: string; frame: number; forget: () => void } | null = null
  /** The last frame in the log, and the last frame that the runner knows to be there. */
  #committedFrame = 0
  #acknowledgedFrame = 0
  #isAcknowledging = false
  #hasProviderKey = true
  /** False: the runner accepts no variables. */
  #takesVars = true
  /** The totals of the turn, reported with the next frame. */
  #heldTotals: ReportItem[] = []
  #hasParagraphBreak: boolean
  #unacknowledgedFrames = 0
  #unacknowledgedChars = 0

  constructor(options: RemoteRunOptions, job: Job, sandbox: Sandbox, ownTools: OwnToolRun) {
    const { reporter } = ownTools
    this.#ownTools = ownTools
    this.#options = options
    this.#job = job
    this.#sandbox = sandbox
    this.#reporter = reporter
    const { modelProvider } = options
    this.#translation = { toolNames: new Map(), ...(modelProvider && { provider: providers[modelProvider].title }) }
    this.#hasParagraphBreak = !job.continues?.isMidText
    reporter.onClose(() => this.#streamAbort.abort())
  }

  async start(env: RunEnvVars): Promise<RunEnd> {
    const { resume, continues, epoch } = this.#job
    const runner = this.#clientWith([this.#sandbox.token])
    const prompt = await this.#unlessCut(() => this.#promptWithFiles(runner))
    if (prompt === null) return 'cut'
    const token = await this.#options.runToken(this.#job)
    const mcp = await this.#mcpServers(env)
    const body = {
      prompt,
      requestId: requestIdOf(this.#job),
      engine: this.#options.engine,
      resume,
      ...(continues && { continues: true }),
      epoch,
      acknowledges: true,
      settings: effectiveSettings(this.#options.settings ?? {}, this.#job, this.#options.efforts),
      ...(this.#options.instructions && { instructions: this.#options.instructions }),
      env,
      repository: effectiveRepository(this.#options.repository, this.#job),
      ...(mcp.length > 0 && { mcp }),
      ...(token !== null && { token }),
    }
    if (!this.#hasProviderKey) await this.#reporter.reportOutOfBand({ type: 'event', event: NO_KEY_DIAGNOSTIC })
    const { queue, provider } = this.#options
    const place = { name: this.#sandbox.id, isReported: this.#job.awaitsSandbox ?? false }
    const answer = await queue.wait(this.#reporter, place, async () => {
      const init = { body: body as JsonObject, signal: this.#streamAbort.signal }
      const attempt = await this.#unlessCut(() => runner.stream('/query', init))
      if (attempt && isBusy(attempt)) throw new NoFreeSandboxError('The runner has another run.')
      return attempt
    })
    if (answer === null) return 'cut'
    if ('bytes' in answer) return this.#readStream(answer)
    if (answer.status === 410) return 'lost'
    // The runner has another token and will never accept ours: the next run gets another sandbox.
    if (answer.status === 401) await provider.stop(this.#sandbox)
    throw new Error(runnerRefusalText(answer.status, answer.body))
  }

  /** Leaves out the servers behind the relay, with a warning, if the runner cannot reach this server. */
  async #mcpServers({ BRIDLE_MCP_URL: url }: RunEnvVars): Promise<readonly RunMcpServer[]> {
    const { mcp = [] } = this.#options
    const isReachable = typeof url === 'string' && this.#takesVars
    const missing = isReachable ? [] : mcp.filter((server) => 'relay' in server).map(({ name }) => `"${name}"`)
    if (missing.length === 0) return mcp
    const message = `The run continues without ${missing.length === 1 ? 'the MCP server' : 'the MCP servers'} ${missing.join(', ')}: its runner cannot reach this server.`
    const event = { type: 'context_warning' as const, payload: { kind: 'mcp_unavailable', message } }
    await this.#reporter.reportOutOfBand({ type: 'event', event })
    return mcp.filter((server) => !('relay' in server))
  }

  #promptWithFiles(runner: RunnerClient): Promise<string> {
    const { prompt, input, key } = this.#job
    const { uploads } = this.#options
    const delivery = { ...(uploads && { uploads }), tenant: key.tenant, send: fileSender(runner) }
    return promptWithFiles(prompt, input, delivery)
  }

  /** Continues to follow a run that this process or an earlier one started. */
  async resume(env: RunEnvVars): Promise<RunEnd> {
    const { frame } = this.#job
    const runner = await this.#runClient()
    const after = Math.max(0, frame)
    const path = `${runPath(this.#job)}/events`
    const answer = await this.#unlessCut(() => runner.stream(path, { after, signal: this.#streamAbort.signal }))
    // The acknowledgement may have died with the last owner, and a call waits for it.
    this.#acknowledge(after)
    // The last owner died before it could report that the wait is over.
    if (answer && 'bytes' in answer && this.#job.awaitsSandbox)
      await this.#reporter.reportOutOfBand({ type: 'sandbox_awaited', reason: null })
    if (answer === null) return 'cut'
    if ('bytes' in answer) return this.#readStream(answer)
    // The runner does not know the run: the last owner died after reporting the start and before the query, or while it waited.
    const isUnbegun = answer.body.error?.type === 'run_unknown' || (answer.status === 404 && this.#job.awaitsSandbox)
    if (isUnbegun && frame <= 0) return this.start(env)
    if (answer.status === 404 || answer.status === 410) return 'lost'
    throw new Error(runnerRefusalText(answer.status, answer.body))
  }

  /** Called before each run. Sets variables that the query cannot carry, for all runs of the runner. */
  async provideCredentials(): Promise<RunEnvVars> {
    const { provider, credentials } = this.#options
    const env = await credentials.grant(this.#job)
    const isTaken = this.#sandbox.hasRunEnv || (await provider.setEnvVars(this.#sandbox, env))
    this.#takesVars = isTaken
    if (!isTaken && Object.keys(env).length > 0) this.#hasProviderKey = await this.#runnerHasKey(Object.keys(env))
    return env
  }

  /** A runner that takes no variables may have had a key at its start; its health says so. */
  async #runnerHasKey(names: readonly string[]): Promise<boolean> {
    const { provider } = this.#options
    const health = await provider.health(this.#sandbox)
    const granted = Object.values(providers).find(({ keyName }) => names.includes(keyName))
    return granted === undefined || (health?.[granted.healthField] ?? false)
  }

  /** Called when a run is resumed: the variables of the last process ended with it. */
  async renewCredentials(): Promise<RunEnvVars> {
    const env = await this.provideCredentials()
    if (!this.#sandbox.hasRunEnv) return env
    const runner = await this.#runClient()
    const { status, body } = await runner.put(`${runPath(this.#job)}/env`, { vars: env, epoch: this.#job.epoch })
    // An unknown or ended run takes no variables; following it shows which of the two it is.
    if (status >= 300 && ![401, 404, 410].includes(status)) throw new Error(runnerRefusalText(status, body))
    // An older runner, without variables per run.
    if (body.error?.type === 'not_found') await this.#options.provider.setEnvVars(this.#sandbox, env)
    return env
  }

  async #runClient(): Promise<RunnerClient> {
    return this.#clientWith(await runBearers(this.#options.runToken, this.#job, this.#sandbox))
  }

  /** A runner without `hasRunEnv` follows the document alone and may send no comments, so its health is probed. */
  #clientWith(bearers: readonly (string | null)[]): RunnerClient {
    const { provider, liveness } = this.#options
    const sandbox = this.#sandbox
    const probeBusy = async () => (await provider.health(sandbox))?.busy ?? false
    return runnerClient(sandbox, bearers, {
      ...(liveness && { liveness }),
      probeBusy: sandbox.hasRunEnv ? null : probeBusy,
    })
  }

  /** Null: the runner does not answer now. */
  async #unlessCut<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (error) {
      if (this.#reporter.closed) throw new ReporterClosedError('nobody listens')
      if (error instanceof RunnerUnreachableError) return null
      throw error
    }
  }

  async #readStream(stream: RunnerStream): Promise<RunEnd> {
    const frames = readRunnerFrames(stream.bytes, undefined, stream.onComment)
    try {
      for (;;) {
        const next = await frames.next().catch((cause) => this.#onStreamError(cause))
        if (next === 'cut' || next.done) {
          await this.#flushThinking()
          return 'cut'
        }
        await this.#readFrame(next.value)
        if (isTerminalEvent(next.value.event)) return 'done'
      }
    } catch (error) {
      // The log does not take the report: stop the engine, whose work nobody would see.
      if (!this.#reporter.closed) await this.#cancelRun()
      throw error
    } finally {
      this.#pendingThinking?.forget()
      this.#streamAbort.abort()
    }
  }

  async #cancelRun(): Promise<void> {
    const { epoch } = this.#job
    const runner = await this.#runClient()
    await runner.post(`${runPath(this.#job)}/cancel`, { epoch }).catch(() => {})
  }

  /** A broken connection is retried; a stream that violates the protocol ends the run. */
  #onStreamError(cause: unknown): 'cut' {
    if (this.#reporter.closed) throw new ReporterClosedError('nobody listens')
    if (cause instanceof BrokenStreamError) throw new Error(`The runner's stream is not valid: ${cause.message}`)
    return 'cut'
  }

  async #readFrame({ id, event, chars }: RunnerFrame): Promise<void> {
    const frame = id ?? this.#reporter.frame + 1
    // The reporter skips committed frames. The end of this run is not committed, so an old number for it is a violation.
    if (isTerminalEvent(event) && frame <= this.#reporter.frame)
      throw new Error(
        `The runner's stream is not valid: its last frame is ${frame}, and frame ${this.#reporter.frame} came before.`,
      )
    this.#unacknowledgedFrames += 1
    this.#unacknowledgedChars += chars
    if (event.type === 'thinking.delta') await this.#bufferThinking(event.text, frame)
    else await this.#reportEvent(event, frame)
    // The engine waits for this acknowledgement before the call acts.
    if (event.type === 'tool.started' || isTerminalEvent(event)) return this.#acknowledge(frame)
    if (this.#unacknowledgedFrames < ACKNOWLEDGED_FRAMES && this.#unacknowledgedChars < ACKNOWLEDGED_CHARS) return
    await this.#flushThinking()
    await this.#reporter.whenCommitted()
    this.#acknowledge(frame)
  }

  async #reportEvent(event: RunnerEvent, frame: number): Promise<void> {
    await this.#flushThinking()
    const items = this.#heldTotals
    this.#heldTotals = []
    // Report totals together with the end that follows: a budget that they cross must not stop a run that has ended.
    if (event.type === 'usage' && event.total) {
      this.#heldTotals = [...items, ...(await translateEvent(event, this.#translation, this.#options.digest))]
      return
    }
    const rest = await this.#ownTools.readEvent(event)
    // The next event may be acknowledged, which says that everything before it is in the log.
    if (rest === null) return this.#reporter.whenCommitted()
    const heard = this.#positionText(rest)
    if (heard.type === 'assistant.delta' && items.length === 0) return this.#reporter.token(heard.text, frame)
    items.push(...(await translateEvent(heard, this.#translation, this.#options.digest)))
    if (items.length > 0) await this.#reporter.report(items, frame)
  }

  /** Text of a run that continues follows the text of the earlier attempt. */
  #positionText(event: RunnerEvent): RunnerEvent {
    if (event.type === 'assistant.delta') return { ...event, text: this.#withParagraphBreak(event.text) }
    return event.type === 'assistant.text' ? { ...event, text: this.#replacementText(event.text) } : event
  }

  /** The first text of a run that continues starts a paragraph. */
  #withParagraphBreak(text: string): string {
    const lead = this.#hasParagraphBreak ? '' : PARAGRAPH
    this.#hasParagraphBreak = true
    return lead + text
  }

  /** The whole text of this attempt, without that of the earlier one. */
  #replacementText(text: string): string {
    if (!this.#job.continues?.isMidText) return text
    this.#hasParagraphBreak = text !== ''
    return text === '' ? '' : PARAGRAPH + text
  }

  async #bufferThinking(text: string, frame: number): Promise<void> {
    const forget =
      this.#pendingThinking?.forget ??
      this.#options.clock.after(THINKING_MS, () => {
        this.#flushThinking().catch(() => {})
      })
    this.#pendingThinking = { text: (this.#pendingThinking?.text ?? '') + text, frame, forget }
    if (this.#pendingThinking.text.length > THINKING_CHARS_MAX) await this.#flushThinking()
  }

  async #flushThinking(): Promise<void> {
    const thought = this.#pendingThinking
    if (!thought) return
    this.#pendingThinking = null
    thought.forget()
    const event = { type: 'thinking' as const, payload: { text: thought.text } }
    await this.#reporter.report([{ type: 'event', event }], thought.frame)
  }

  #acknowledge(frame: number): void {
    this.#unacknowledgedFrames = 0
    this.#unacknowledgedChars = 0
    this.#committedFrame = Math.max(this.#committedFrame, frame)
    if (!this.#isAcknowledging) this.#sendAcknowledgements().catch(() => {})
  }

  /** Retries until the runner takes it: an engine may wait for it. */
  async #sendAcknowledgements(): Promise<void> {
    this.#isAcknowledging = true
    const runner = await this.#runClient()
    for (
      let tries = 0;
      this.#acknowledgedFrame < this.#committedFrame && !(this.#reporter.closed && tries > 0);
      tries++
    ) {
      const frame = this.#committedFrame
      const answer = await runner.post(`${runPath(this.#job)}/ack`, { frame, epoch: this.#job.epoch }).catch(() => null)
      // Any answer below 500 means that the runner has the acknowledgement, or does not use it.
      if (answer && answer.status < 500) this.#acknowledgedFrame = frame
      else await this.#sleep(ACKNOWLEDGE_RETRY_MS)
    }
    this.#isAcknowledging = false
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve))
  }
}

/** Our runner names the reason of a 409, since an id may be in conflict too; a runner of the document does not. */
const isBusy = (answer: RunnerStream | RunnerResponse): boolean =>
  'status' in answer &&
  answer.status === 409 &&
  (answer.body.error?.type === 'busy' || answer.body.error?.type === undefined)
