// A session's live state, in browsers and Node. Thin: it sends commands, shows the server's state, and reconnects.
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { UploadGrant } from '@bridle/wire/http/wire'
import type { ClientMessage, HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
import type { UploadContent, UploadOptions } from '../http/upload.ts'
import { finalRefusal, socketEndpoint } from '../socket/endpoint.ts'
import { onReconnectHint } from '../socket/reconnect-hints.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import { CommandOutbox } from './command-outbox.ts'
import { ConnectionStatus } from './connection-status.ts'
import { Emitter } from './emitter.ts'
import { HarnessError } from './error.ts'
import { KeptPrompts } from './kept-prompts.ts'
import type {
  CommandOf,
  HarnessAnswer,
  HarnessClientOptions,
  HarnessConnection,
  HarnessEvents,
  HeldPrompt,
  SubmitOptions,
} from './options.ts'
import { NotificationScheduler, Replica } from './replica.ts'
import { parseServerMessage } from './server-messages.ts'
import { uploadToServer } from './upload.ts'

/** The close code of a removed session. Any other final close is a refusal. */
const REMOVED = 4004

/** Connects immediately and reconnects until `close`. */
export class HarnessClient {
  readonly #options: HarnessClientOptions
  readonly #replica = new Replica()
  readonly #events = new Emitter<HarnessEvents>()
  readonly #changes = new Emitter<{ change: null }>()
  readonly #notifier: NotificationScheduler
  readonly #outbox: CommandOutbox
  readonly #kept: KeptPrompts
  readonly #socket: ReconnectingSocket
  readonly #stopWaking: () => void
  /** The current address, and the one the replica came from. */
  #url = ''
  #replicaUrl = ''
  #wasOpen = false
  /** The server numbers its states, and therefore acknowledges commands. */
  #sendsSeq = false
  #answersPings = false
  #snapshot = this.#replica.state
  readonly #status = new ConnectionStatus(
    () => this.#replica.seq,
    (connection) => {
      this.#events.emit('connection', connection)
      this.#notifier.schedule()
    },
  )

  constructor(options: HarnessClientOptions) {
    // Throws for an invalid URL, as the WebSocket constructor does.
    if (typeof options.url === 'string') new URL(options.url)
    this.#options = options
    this.#notifier = new NotificationScheduler(options.schedule ?? 'frame', () => {
      this.#snapshot = this.#replica.state
      this.#changes.emit('change', null)
    })
    this.#kept = new KeptPrompts(options.outbox === 'reject' ? false : options.storage)
    this.#outbox = new CommandOutbox({
      holdsPrompts: options.outbox !== 'reject',
      transmit: (text) => this.#socket.send(text),
      onHeld: (held) => {
        this.#events.emit('held', held)
        this.#notifier.schedule()
      },
      onFail: (error) => this.#events.emit('error', error),
      onPrompts: (prompts) => this.#kept.save(prompts),
    })
    this.#socket = new ReconnectingSocket({
      endpoint: () => this.#endpoint(),
      findRefusal: () => finalRefusal({ ...options, url: this.#url }),
      WebSocket: options.WebSocket,
      backoff: options.backoff ?? DEFAULT_RECONNECT_BACKOFF,
      heartbeatMs: options.pingMs ?? 15_000,
      ping: () => this.#ping(),
      onMessage: (data) => this.#receive(data),
      onLost: (code) => this.#outbox.handleDisconnect(code),
      onWait: (waitMs, attempt) =>
        this.#status.update({
          phase: this.#wasOpen ? 'reconnecting' : 'connecting',
          attempt,
          nextTryAt: Date.now() + waitMs,
        }),
      onError: ({ type, message }) => this.#reportError(new HarnessError(type, message)),
      onEnd: (code, reason) => this.#end(code, reason),
    })
    this.#stopWaking = onReconnectHint(() => this.#socket.retryNow())
  }

  /** Returns the same object until subscribers are notified, as React requires. */
  getSnapshot = (): HarnessState => this.#snapshot

  /** Subscribes to changes of the snapshot, `connection` and `held`. Returns an unsubscribe function. */
  subscribe = (listener: () => void): (() => void) => this.#changes.on('change', listener)

  /** The same object until something changes. `on('connection')` fires immediately, `subscribe` according to `schedule`. */
  get connection(): HarnessConnection {
    return this.#status.current
  }

  /** Prompts held until connected, oldest first. The same array until it changes. */
  get held(): readonly HeldPrompt[] {
    return this.#outbox.held
  }

  /** Discards a held prompt. False if it is no longer held. */
  discard(id: string): boolean {
    return this.#outbox.discard(id)
  }

  /** Calls the listener immediately for each event. `error` includes failed commands, with their `commandId`. */
  on<N extends keyof HarnessEvents>(name: N, listener: (event: HarnessEvents[N]) => void): () => void {
    return this.#events.on(name, listener)
  }

  /**
   * Resolves with the server's answer or rejects with a HarnessError. A server without `seq` does not acknowledge
   * commands: each resolves when sent and is never resent.
   */
  send(command: HarnessCommand): Promise<HarnessAnswer> {
    return this.#outbox.send(command)
  }

  /** Submits a prompt. Queued during a run, and held while disconnected. */
  submit(prompt: string, { commandId, attachments, model, effort }: SubmitOptions = {}): Promise<HarnessAnswer> {
    const choice = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) }
    const files = attachments && { attachments: [...attachments] }
    return this.send({ type: 'submit', prompt, commandId, ...choice, ...files })
  }

  /**
   * Uploads a file of at most 25 MB over HTTP. Pass the result in the `attachments` of `submit`, `steer` or `edit` within
   * a day. Rejects with a HarnessError, leaving nothing to clean up.
   */
  async upload(content: UploadContent, options: UploadOptions = {}): Promise<UploadGrant> {
    return uploadToServer({ ...this.#options, url: await this.#address() }, content, options)
  }

  /** Adds an instruction to the run in progress without waiting for its end. */
  steer(prompt: string, { attachments }: Pick<SubmitOptions, 'attachments'> = {}): Promise<HarnessAnswer> {
    return this.send({ type: 'steer', prompt, ...(attachments && { attachments: [...attachments] }) })
  }

  /** Replaces an earlier prompt. The conversation continues from there with a new run. */
  edit(
    messageId: string,
    prompt: string,
    { attachments }: Pick<SubmitOptions, 'attachments'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ type: 'edit', messageId, prompt, ...(attachments && { attachments: [...attachments] }) })
  }

  /** Regenerates the answer to a prompt. Default: the last one. */
  reload(messageId?: string): Promise<HarnessAnswer> {
    return this.send({ type: 'reload', messageId })
  }

  /** Cancels the run in progress, or the one in `runId`. `queue` also cancels queued prompts. */
  cancel(which: Omit<CommandOf<'cancel'>, 'type'> = {}): Promise<HarnessAnswer> {
    return this.send({ ...which, type: 'cancel' })
  }

  /** Decides an approval, optionally with edited arguments or a reason. `pause` pauses the session after the call. */
  approve(
    approvalId: string,
    decision: 'approved' | 'denied',
    more: Pick<CommandOf<'approve'>, 'args' | 'answers' | 'values' | 'reason' | 'pause'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ ...more, type: 'approve', approvalId, decision })
  }

  /**
   * Answers a question with `{ answers }` or a form with `{ values }`. With neither, accepts the default. Rejects with
   * `invalid_answer` if they do not fit, and the question stays open. Decline with `approve(id, 'denied')`.
   */
  answer(
    approvalId: string,
    given: Pick<CommandOf<'approve'>, 'answers' | 'values' | 'reason' | 'pause'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ ...given, type: 'approve', approvalId, decision: 'approved' })
  }

  /** Resolves to `{ sessionId, parent }`. Connect a new client to that session. */
  branch(point: Omit<CommandOf<'branch'>, 'type'> = {}): Promise<HarnessAnswer> {
    return this.send({ ...point, type: 'branch' })
  }

  /** Sends a signal to the run, which may already wait for it. Rejects with `not_waiting` without a durable run. */
  signal(name: string, payload?: CommandOf<'signal'>['payload']): Promise<HarnessAnswer> {
    return this.send({ type: 'signal', name, payload })
  }

  /** Pauses the session. No run starts until `resume`. */
  pause(): Promise<HarnessAnswer> {
    return this.send({ type: 'pause' })
  }

  /** Resumes a paused session. */
  resume(): Promise<HarnessAnswer> {
    return this.send({ type: 'resume' })
  }

  /** Closes the client. Rejects unanswered commands and keeps the last state. */
  close(): void {
    this.#socket.close()
  }

  async #address(): Promise<string> {
    const { url } = this.#options
    return typeof url === 'string' ? url : url()
  }

  async #endpoint(): Promise<{ url: string; protocols?: string[] }> {
    this.#status.update({ nextTryAt: undefined })
    this.#url = await this.#address()
    const kept = this.#kept.load(this.#url, this.#options.tenantId)
    this.#outbox.restore(kept)
    // Another address may be another session with its own sequence numbers.
    const after = this.#url === this.#replicaUrl ? this.#replica.cursor : null
    this.#replica.beginConnection(after !== null)
    return socketEndpoint({ ...this.#options, url: this.#url }, { replay: 0, after })
  }

  /** Until the first message it is unknown whether the server answers pings, but a message must arrive. */
  #ping(): string | null {
    if (this.connection.phase !== 'open') return ''
    return this.#sendsSeq || this.#answersPings ? PING_TEXT : null
  }

  /** If a message does not fit the replica, reconnect and request the complete state. */
  #receive(data: unknown): void {
    let message: ServerMessage | null
    try {
      message = parseServerMessage(data)
      if (message?.type === 'state') this.#replica.replace(message)
      if (message?.type === 'delta') this.#replica.apply(message)
    } catch (cause) {
      return this.#resync(cause)
    }
    if (message) this.#dispatch(message)
  }

  #dispatch(message: ServerMessage): void {
    switch (message.type) {
      case 'state':
        this.#sendsSeq = message.seq !== undefined
        this.#changed()
        return this.#events.emit('state', message)
      case 'delta':
        this.#changed()
        return this.#events.emit('delta', message)
      case 'ack':
        return this.#outbox.handleAck(message)
      case 'error':
        if (this.#outbox.handleServerError(message.message, message.commandId)) return
        return this.#events.emit('error', new HarnessError('server', message.message, message))
      case 'pong':
        this.#answersPings = true
        return
      case 'mark':
        return this.#socket.send(JSON.stringify({ type: 'seen', seq: message.seq } satisfies ClientMessage))
    }
  }

  #changed(): void {
    if (this.connection.phase !== 'open') {
      this.#wasOpen = true
      this.#replicaUrl = this.#url
      this.#socket.markHealthy()
      this.#status.update({ phase: 'open', attempt: 0, error: undefined })
      this.#outbox.handleOpen(this.#sendsSeq)
    }
    if (this.#replica.state !== this.#snapshot) this.#notifier.schedule()
  }

  #resync(cause: unknown): void {
    const { message } = cause as Error
    this.#replica.forget()
    this.#status.update({ resyncs: this.connection.resyncs + 1 })
    this.#reportError(new HarnessError('resync', `The server's message does not fit the state: ${message}.`, { cause }))
    this.#socket.reconnect(4000, 'resync')
  }

  #reportError(error: HarnessError): void {
    this.#status.update({ error })
    this.#events.emit('error', error)
  }

  #end(code: number, reason: string): void {
    this.#stopWaking()
    // A refusal was already reported with its reason.
    const refusal = code === 1008 ? this.connection.error : undefined
    const error =
      code === 1000
        ? undefined
        : (refusal ?? new HarnessError(code === REMOVED ? 'session_removed' : 'refused', reason))
    this.#status.update({ phase: 'closed', attempt: 0, nextTryAt: undefined, error })
    this.#outbox.close(reason)
    this.#notifier.flush()
  }
}
