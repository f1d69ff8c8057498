// A session's live state, in a browser or in Node. The client computes nothing: it sends commands and shows the server's state,
// over as many connections as it takes.
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

/** The close code of a removed session; a final close with any other code is a refusal. */
const REMOVED = 4004

/** Connects at once, and reconnects whenever the connection breaks, until `close`. */
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
  /** The address of this connection, and the address that the replica came from. */
  #url = ''
  #replicaUrl = ''
  #wasOpen = false
  /** The server numbers its states, so it acknowledges commands too. */
  #sendsSeq = false
  /** The server has answered a ping. */
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
    // A bad address throws here, as the platform's WebSocket constructor does.
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

  /** The same object until subscribers are called: React needs a snapshot that changes only then. */
  getSnapshot = (): HarnessState => this.#snapshot

  /** Calls the listener when the snapshot, `connection` or `held` has changed. Returns the function that unsubscribes. */
  subscribe = (listener: () => void): (() => void) => this.#changes.on('change', listener)

  /** The same object until something changes. `on('connection')` is called at once, `subscribe` as `schedule` says. */
  get connection(): HarnessConnection {
    return this.#status.current
  }

  /** Prompts that wait for a connection, oldest first; the same array until one comes or goes. */
  get held(): readonly HeldPrompt[] {
    return this.#outbox.held
  }

  /** Takes a held prompt back. False when it is not held any more. */
  discard(id: string): boolean {
    return this.#outbox.discard(id)
  }

  /** Calls the listener at once for each event. `error` includes failed commands, with their `commandId`. */
  on<N extends keyof HarnessEvents>(name: N, listener: (event: HarnessEvents[N]) => void): () => void {
    return this.#events.on(name, listener)
  }

  /**
   * Resolves with the server's answer; rejects with a HarnessError. A server that sends no `seq` acknowledges no commands:
   * there a command resolves when it was sent, and is never sent twice.
   */
  send(command: HarnessCommand): Promise<HarnessAnswer> {
    return this.#outbox.send(command)
  }

  /** Submits a prompt. While a run is in progress the prompt waits for its turn; without a connection it is held. */
  submit(prompt: string, { commandId, attachments }: SubmitOptions = {}): Promise<HarnessAnswer> {
    return this.send({ type: 'submit', prompt, commandId, ...(attachments && { attachments: [...attachments] }) })
  }

  /**
   * Uploads a file of at most 25 MB, over HTTP. Give the answer to `submit`, `steer` or `edit` as one of the `attachments`, within a day. Rejects with
   * a HarnessError; an upload that failed leaves nothing to undo.
   */
  async upload(content: UploadContent, options: UploadOptions = {}): Promise<UploadGrant> {
    return uploadToServer({ ...this.#options, url: await this.#address() }, content, options)
  }

  /** Gives the run in progress a further instruction, without waiting for its end. */
  steer(prompt: string, { attachments }: Pick<SubmitOptions, 'attachments'> = {}): Promise<HarnessAnswer> {
    return this.send({ type: 'steer', prompt, ...(attachments && { attachments: [...attachments] }) })
  }

  /** Replaces an earlier prompt: the conversation continues from there with a new run. */
  edit(
    messageId: string,
    prompt: string,
    { attachments }: Pick<SubmitOptions, 'attachments'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ type: 'edit', messageId, prompt, ...(attachments && { attachments: [...attachments] }) })
  }

  /** Answers a prompt again. Default: the last one. */
  reload(messageId?: string): Promise<HarnessAnswer> {
    return this.send({ type: 'reload', messageId })
  }

  /** Cancels the run in progress; with `runId` another one, with `queue` also the prompts that wait. */
  cancel(which: Omit<CommandOf<'cancel'>, 'type'> = {}): Promise<HarnessAnswer> {
    return this.send({ ...which, type: 'cancel' })
  }

  /** Answers an approval, with other arguments or a reason where you give them; with `pause` the session pauses after the call. */
  approve(
    approvalId: string,
    decision: 'approved' | 'denied',
    more: Pick<CommandOf<'approve'>, 'args' | 'answers' | 'values' | 'reason' | 'pause'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ ...more, type: 'approve', approvalId, decision })
  }

  /**
   * Answers a question with `{ answers }`, or a form with `{ values }`; without both it gives the default. Rejects with `invalid_answer` where they
   * do not fit, and the question stays open. `approve(id, 'denied')` declines it.
   */
  answer(
    approvalId: string,
    given: Pick<CommandOf<'approve'>, 'answers' | 'values' | 'reason' | 'pause'> = {},
  ): Promise<HarnessAnswer> {
    return this.send({ ...given, type: 'approve', approvalId, decision: 'approved' })
  }

  /** Answers `{ sessionId, parent }`. Connect another client to the new session. */
  branch(point: Omit<CommandOf<'branch'>, 'type'> = {}): Promise<HarnessAnswer> {
    return this.send({ ...point, type: 'branch' })
  }

  /** Sends a signal to the run, which waits for it by name, or will. Rejects with `not_waiting` where no durable run takes it. */
  signal(name: string, payload?: CommandOf<'signal'>['payload']): Promise<HarnessAnswer> {
    return this.send({ type: 'signal', name, payload })
  }

  /** Pauses the session: no run begins until `resume`. */
  pause(): Promise<HarnessAnswer> {
    return this.send({ type: 'pause' })
  }

  /** Lets a paused session continue. */
  resume(): Promise<HarnessAnswer> {
    return this.send({ type: 'resume' })
  }

  /** Closes the client for good. Unanswered commands are rejected; the last state stays. */
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
    // Another address may be another session, with other sequence numbers.
    const after = this.#url === this.#replicaUrl ? this.#replica.cursor : null
    this.#replica.beginConnection(after !== null)
    return socketEndpoint({ ...this.#options, url: this.#url }, { replay: 0, after })
  }

  /** Before the first message the client cannot know whether the server answers pings, but a message must come. */
  #ping(): string | null {
    if (this.connection.phase !== 'open') return ''
    return this.#sendsSeq || this.#answersPings ? PING_TEXT : null
  }

  /** A message that does not fit the replica means that the two have parted: reconnect and take the whole state. */
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
    // A refusal has reported its reason already.
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
