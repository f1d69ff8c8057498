// Unanswered commands. After a reconnect, a command is resent under its id, so that it takes effect once. Cancels and
// approvals are rejected instead, so that the user decides again.
import { tryOr } from '@bridle/kernel/try-or'
import type { HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
import { HELD_MAX } from '../http/limits.ts'
import { randomId } from '../socket/messages.ts'
import { HarnessError } from './error.ts'
import type { KeptPrompt } from './kept-prompts.ts'
import type { HarnessAnswer, HeldPrompt } from './options.ts'

/** A stopped session reopens within a second. After five attempts the command fails, and its caller decides. */
const UNAVAILABLE_MS = 1_000
const UNAVAILABLE_MAX = 5

/** WebSocket close code 1009, message too big. */
const TOO_BIG = 1009
const LOST = 'The connection was lost before the answer.'

export interface CommandOutboxOptions {
  readonly holdsPrompts: boolean
  readonly transmit: (text: string) => void
  readonly onHeld: (held: readonly HeldPrompt[]) => void
  readonly onFail: (error: HarnessError) => void
  readonly onPrompts: (prompts: readonly KeptPrompt[]) => void
}

export class CommandOutbox {
  readonly #options: CommandOutboxOptions
  /** In send order, which reconnects preserve. */
  readonly #open = new Map<string, PendingCommand>()
  /** `answers`: the server acknowledges commands; `takes`: it does not. `none`: disconnected; `ended`: for good. */
  #connection: 'answers' | 'takes' | 'none' | 'ended' = 'none'
  /** Errors without a command id. An acknowledging server sends one for each unreadable command. */
  #unnamed: string[] = []
  #held: readonly HeldPrompt[] = []

  constructor(options: CommandOutboxOptions) {
    this.#options = options
  }

  get held(): readonly HeldPrompt[] {
    return this.#held
  }

  send(command: HarnessCommand): Promise<HarnessAnswer> {
    const pending = pendingCommand(command)
    const twin = this.#open.get(pending.id)
    if (twin?.text === pending.text) return twin.promise
    // Report failures to `onFail` if the caller ignores the promise: an unhandled rejection would kill a Node process.
    pending.promise.catch((error: HarnessError) => this.#options.onFail(error))
    const fault = this.#refusalFor(pending, twin)
    if (fault) pending.reject(fault)
    else {
      this.#open.set(pending.id, pending)
      if (this.#connection !== 'none') this.#transmit(pending)
      this.#publishHeld()
    }
    return pending.promise
  }

  /** Adopts the prompts of a previous page load. Failures go to `onFail`, because nothing awaits them. */
  restore(prompts: readonly KeptPrompt[]): void {
    if (!this.#options.holdsPrompts || this.#connection === 'ended') return
    const later = [...this.#open.values()]
    this.#open.clear()
    for (const { command, since, sent } of prompts) {
      const pending = { ...pendingCommand(command), since, sent }
      pending.promise.catch((error: HarnessError) => this.#options.onFail(error))
      this.#open.set(pending.id, pending)
    }
    // Prompts submitted before the address was known are newer.
    for (const pending of later) if (!this.#open.has(pending.id)) this.#open.set(pending.id, pending)
    this.#publishHeld()
  }

  /** Without acknowledgements, a command resolves when sent and is never resent. */
  handleOpen(answers: boolean): void {
    this.#connection = answers ? 'answers' : 'takes'
    for (const pending of [...this.#open.values()]) {
      if (pending.sent && !answers) this.#fail(pending, 'unknown_outcome', LOST)
      else this.#transmit(pending)
    }
    this.#publishHeld()
  }

  handleDisconnect(code: number): void {
    this.#connection = 'none'
    this.#unnamed = []
    const sent = [...this.#open.values()].filter((pending) => pending.sent)
    for (const pending of sent) if (!isRepeatable(pending)) this.#fail(pending, 'unknown_outcome', LOST)
    // The largest command would break every new connection.
    const biggest = sent.sort((a, b) => b.text.length - a.text.length)[0]
    if (code === TOO_BIG && biggest) this.#fail(biggest, 'too_large', 'The server takes nothing of this size.')
    this.#publishHeld()
  }

  handleAck({ commandId, ok, answer, code = 'refused', message }: Extract<ServerMessage, { type: 'ack' }>): void {
    const pending = this.#open.get(commandId)
    if (!pending) return
    if (ok) {
      this.#open.delete(commandId)
      pending.resolve(answer ?? {})
    } else if (code === 'unavailable' && isRepeatable(pending) && pending.unavailable < UNAVAILABLE_MAX) {
      this.#retryLater(pending)
    } else {
      this.#fail(pending, code, message ?? 'Refused.')
    }
    this.#failUnreadable()
    this.#publishPrompts()
  }

  handleServerError(message: string, commandId: string | undefined): boolean {
    const pending = commandId === undefined ? undefined : this.#open.get(commandId)
    if (pending) this.#fail(pending, 'bad_command', message)
    else if (this.#connection === 'answers' && this.#open.size > 0) this.#unnamed.push(message)
    this.#failUnreadable()
    this.#publishPrompts()
    return pending !== undefined
  }

  discard(id: string): boolean {
    const pending = this.#open.get(id)
    if (!pending || !this.#held.some((held) => held.id === id)) return false
    this.#abandon(pending, 'removed', 'Taken back.')
    this.#publishHeld()
    return true
  }

  close(why: string): void {
    this.#connection = 'ended'
    for (const pending of [...this.#open.values()]) this.#abandon(pending, 'not_sent', why)
    this.#publishHeld()
  }

  #refusalFor({ id: commandId, command, text }: PendingCommand, twin: PendingCommand | undefined): HarnessError | null {
    const refusal = (code: string, message: string) => new HarnessError(code, message, { commandId })
    if (!text) return refusal('bad_command', 'The command cannot be written as JSON.')
    if (twin) return refusal('command_conflict', 'This command id is in use for another body.')
    if (this.#connection === 'answers' || this.#connection === 'takes') return null
    if (this.#connection === 'ended')
      return refusal('not_sent', `The client is closed, so the ${command.type} was not sent: make a new client.`)
    if (command.type !== 'submit' || !this.#options.holdsPrompts)
      return refusal('not_sent', `Not connected: the ${command.type} was not sent.`)
    return this.#held.length < HELD_MAX ? null : refusal('queue_full', 'Too many prompts wait for a connection.')
  }

  /** A message per command, because the server rejects the whole message for one unreadable command. */
  #transmit(pending: PendingCommand): void {
    pending.sent = true
    if (this.#connection === 'answers')
      return this.#options.transmit(`{"type":"commands","commands":[${pending.text}]}`)
    const { commandId: _unknown, ...bare } = pending.command
    this.#options.transmit(JSON.stringify({ type: 'commands', commands: [bare] }))
    this.#open.delete(pending.id)
    pending.resolve({})
  }

  /** The server does not know whether it stored the command. Retrying under the same id is safe. */
  #retryLater(pending: PendingCommand): void {
    pending.unavailable += 1
    setTimeout(() => {
      if (this.#connection === 'answers' && this.#open.get(pending.id) === pending) this.#transmit(pending)
    }, UNAVAILABLE_MS)
  }

  /** The server answers every readable command. If there are no more open commands than errors, the errors belong to them. */
  #failUnreadable(): void {
    if (this.#unnamed.length === 0 || this.#open.size > this.#unnamed.length) return
    const [message = ''] = this.#unnamed
    this.#unnamed = []
    for (const pending of [...this.#open.values()]) this.#fail(pending, 'bad_command', message)
  }

  /** `code` applies if the command was never sent. */
  #abandon(pending: PendingCommand, code: string, message: string): void {
    if (pending.sent) this.#fail(pending, 'unknown_outcome', LOST)
    else this.#fail(pending, code, message)
  }

  #fail(pending: PendingCommand, code: string, message: string): void {
    this.#open.delete(pending.id)
    pending.reject(new HarnessError(code, message, { commandId: pending.id }))
  }

  #publishPrompts(): void {
    this.#options.onPrompts([...this.#open.values()].flatMap(keptPromptsOf))
  }

  #publishHeld(): void {
    this.#publishPrompts()
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

interface PendingCommand {
  readonly id: string
  readonly command: HarnessCommand
  /** Serialised once: the server refuses a known id with a different body. Empty if the command cannot be serialised. */
  readonly text: string
  readonly since: number
  readonly promise: Promise<HarnessAnswer>
  readonly resolve: (answer: HarnessAnswer) => void
  readonly reject: (error: HarnessError) => void
  sent: boolean
  unavailable: number
}

const pendingCommand = (request: HarnessCommand): PendingCommand => {
  const id = request.commandId ?? randomId()
  const command = { ...request, commandId: id }
  const { promise, resolve, reject } = Promise.withResolvers<HarnessAnswer>()
  const text = textOf(command)
  return { id, command, text, since: Date.now(), promise, resolve, reject, sent: false, unavailable: 0 }
}

/** Safe to resend after a reconnect. A late cancel, approval or signal could hit another run or call. */
const isRepeatable = ({ command: { type } }: PendingCommand): boolean => !['cancel', 'approve', 'signal'].includes(type)

const heldPromptsOf = ({ id, command, since, sent }: PendingCommand): HeldPrompt[] =>
  command.type === 'submit' ? [{ id, prompt: command.prompt, since, sent }] : []

const keptPromptsOf = ({ id, command, since, sent, text }: PendingCommand): KeptPrompt[] =>
  command.type === 'submit' && text !== '' ? [{ command: { ...command, commandId: id }, since, sent }] : []

const textOf = (command: HarnessCommand): string => tryOr('', () => JSON.stringify(command))
