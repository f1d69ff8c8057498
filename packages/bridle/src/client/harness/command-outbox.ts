// Commands between the asking and the answer. What was cut off before its answer is sent again under its id, which makes
// one effect of it; a cancel or an approval is rejected instead, for the user to ask again.
import type { HarnessCommand, ServerMessage } from '../../surfaces/transport/wire.ts'
import { HarnessError } from './error.ts'
import type { HarnessAnswer, HeldPrompt } from './options.ts'
import { heldPromptsOf, isRepeatable, type PendingCommand, pendingCommand } from './pending-command.ts'

/** As many as a server queues; a person never has more. */
const HELD_MAX = 100
/** A session that stopped opens again within this; so often it is asked. */
const UNAVAILABLE_MS = 1_000
const UNAVAILABLE_MAX = 5
/** The close code for a message that is too big. */
const TOO_BIG = 1009
const LOST = 'The connection was lost before the answer.'

export interface CommandOutboxOptions {
  readonly holdsPrompts: boolean
  readonly transmit: (text: string) => void
  readonly onHeld: (held: readonly HeldPrompt[]) => void
  readonly onFail: (error: HarnessError) => void
}

export class CommandOutbox {
  readonly #options: CommandOutboxOptions
  /** In the order they were asked, which is the order they are sent in, also for the second time. */
  readonly #open = new Map<string, PendingCommand>()
  /** The connection: one that answers commands, one that only takes them, none now, or none any more. */
  #connection: 'answers' | 'takes' | 'none' | 'ended' = 'none'
  /** Errors that named no command. From a server that answers, each is some malformed command's. */
  #unnamed: string[] = []
  #held: readonly HeldPrompt[] = []

  constructor(options: CommandOutboxOptions) {
    this.#options = options
  }

  get held(): readonly HeldPrompt[] {
    return this.#held
  }

  send(given: HarnessCommand): Promise<HarnessAnswer> {
    const asked = pendingCommand(given)
    const twin = this.#open.get(asked.id)
    if (twin?.text === asked.text) return twin.promise
    // Whoever does not wait for the answer hears of a failure by `onFail`; it must not end a process.
    asked.promise.catch((error: HarnessError) => this.#options.onFail(error))
    const fault = this.#refusalFor(asked, twin)
    if (fault) asked.reject(fault)
    else {
      this.#open.set(asked.id, asked)
      if (this.#connection !== 'none') this.#transmit(asked)
      this.#publishHeld()
    }
    return asked.promise
  }

  /** A line that does not answer resolves a command by taking it, and is never given one for the second time. */
  handleOpen(answers: boolean): void {
    this.#connection = answers ? 'answers' : 'takes'
    for (const asked of [...this.#open.values()]) {
      if (asked.sent && !answers) this.#fail(asked, 'unknown_outcome', LOST)
      else this.#transmit(asked)
    }
    this.#publishHeld()
  }

  handleDisconnect(code: number): void {
    this.#connection = 'none'
    this.#unnamed = []
    const sent = [...this.#open.values()].filter((asked) => asked.sent)
    for (const asked of sent) if (!isRepeatable(asked)) this.#fail(asked, 'unknown_outcome', LOST)
    // It would be too big each time, and cut the line each time.
    const biggest = sent.sort((a, b) => b.text.length - a.text.length)[0]
    if (code === TOO_BIG && biggest) this.#fail(biggest, 'too_large', 'The server takes nothing of this size.')
    this.#publishHeld()
  }

  handleAck({ commandId, ok, answer, code = 'refused', message }: Extract<ServerMessage, { type: 'ack' }>): void {
    const asked = this.#open.get(commandId)
    if (!asked) return
    if (ok) {
      this.#open.delete(commandId)
      asked.resolve(answer ?? {})
    } else if (code === 'unavailable' && isRepeatable(asked) && asked.unavailable < UNAVAILABLE_MAX) {
      this.#retryLater(asked)
    } else {
      this.#fail(asked, code, message ?? 'Refused.')
    }
    this.#failUnreadable()
  }

  /** An error of the server's. True when it is the answer to a command, by name. */
  handleServerError(message: string, commandId: string | undefined): boolean {
    const asked = commandId === undefined ? undefined : this.#open.get(commandId)
    if (asked) this.#fail(asked, 'bad_command', message)
    else if (this.#connection === 'answers' && this.#open.size > 0) this.#unnamed.push(message)
    this.#failUnreadable()
    return asked !== undefined
  }

  /** False when there is no such prompt, or it is on its way. */
  discard(id: string): boolean {
    const asked = this.#open.get(id)
    if (!asked || !this.#held.some((held) => held.id === id)) return false
    this.#abandon(asked, 'removed', 'Taken back.')
    this.#publishHeld()
    return true
  }

  /** No connection will come any more. */
  close(why: string): void {
    this.#connection = 'ended'
    for (const asked of [...this.#open.values()]) this.#abandon(asked, 'not_sent', why)
    this.#publishHeld()
  }

  #refusalFor({ id: commandId, command, text }: PendingCommand, twin: PendingCommand | undefined): HarnessError | null {
    const refusal = (code: string, message: string) => new HarnessError(code, message, { commandId })
    if (!text) return refusal('bad_command', 'The command is no JSON.')
    if (twin) return refusal('command_conflict', 'This command id is in use for another body.')
    if (this.#connection === 'answers' || this.#connection === 'takes') return null
    if (this.#connection === 'ended' || command.type !== 'submit' || !this.#options.holdsPrompts)
      return refusal('not_sent', `Not connected: the ${command.type} was not sent.`)
    return this.#held.length < HELD_MAX ? null : refusal('queue_full', 'Too many prompts wait for a connection.')
  }

  /** One message each: a command that the server cannot read must not spoil its neighbours. */
  #transmit(asked: PendingCommand): void {
    asked.sent = true
    if (this.#connection === 'answers') return this.#options.transmit(`{"type":"commands","commands":[${asked.text}]}`)
    const { commandId: _unknown, ...bare } = asked.command
    this.#options.transmit(JSON.stringify({ type: 'commands', commands: [bare] }))
    this.#open.delete(asked.id)
    asked.resolve({})
  }

  /** The server does not know whether it wrote it. Under its id it may be asked again, which nobody but us can do. */
  #retryLater(asked: PendingCommand): void {
    asked.unavailable += 1
    setTimeout(() => {
      if (this.#connection === 'answers' && this.#open.get(asked.id) === asked) this.#transmit(asked)
    }, UNAVAILABLE_MS)
  }

  /** Every readable command is answered, so when no more are open than there were errors, the errors are theirs. */
  #failUnreadable(): void {
    if (this.#unnamed.length === 0 || this.#open.size > this.#unnamed.length) return
    const [message = ''] = this.#unnamed
    this.#unnamed = []
    for (const asked of [...this.#open.values()]) this.#fail(asked, 'bad_command', message)
  }

  /** The code is for one that never left. */
  #abandon(asked: PendingCommand, code: string, message: string): void {
    if (asked.sent) this.#fail(asked, 'unknown_outcome', LOST)
    else this.#fail(asked, code, message)
  }

  #fail(asked: PendingCommand, code: string, message: string): void {
    this.#open.delete(asked.id)
    asked.reject(new HarnessError(code, message, { commandId: asked.id }))
  }

  #publishHeld(): void {
    const held = this.#connection === 'none' ? [...this.#open.values()].flatMap(heldPromptsOf) : []
    const before = this.#held
    if (
      held.length === before.length &&
      held.every(({ id, sent }, at) => id === before[at]?.id && sent === before[at].sent)
    )
      return
    this.#held = held
    this.#options.onHeld(held)
  }
}
