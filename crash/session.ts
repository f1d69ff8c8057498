// A session that a round plays: the commands it gets, and the clients that watch it, one on each wire.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashAgent, TurnLength } from './agents.ts'
import { type CommandOutcome, PATIENCE_MS, RepeatableCommand } from './command.ts'
import { type HttpAnswer, request } from './http.ts'
import type { PromiseTally } from './promises.ts'
import { FabricSocketClient, TransportClient } from './socket-clients.ts'
import { FabricStreamClient, FrontendStreamClient } from './stream-clients.ts'
import type { SessionAddress } from './wire-client.ts'

/** Each look costs the server time that the runs need. */
export const POLL_MS = 10

export type SessionKind = 'talk' | 'ask' | 'work'
export const sessionKinds: readonly SessionKind[] = ['talk', 'ask', 'work']

const RETRIES = 99

export class CrashSession {
  readonly kind: SessionKind
  readonly place: SessionAddress
  readonly agent: CrashAgent
  readonly transport: TransportClient
  readonly fabric: readonly [FabricStreamClient, FabricSocketClient]
  readonly frontend: FrontendStreamClient
  readonly commands: RepeatableCommand[] = []
  /** The approval that a client saw before the fault. */
  #shown: string | null = null
  readonly #answered = new Set<string>()
  secondLength: TurnLength = 'short'
  readonly #line: () => AbortSignal

  constructor(kind: SessionKind, place: SessionAddress, agent: CrashAgent, line: () => AbortSignal) {
    this.kind = kind
    this.place = place
    this.agent = agent
    this.#line = line
    this.transport = new TransportClient(place)
    this.fabric = [new FabricStreamClient(place), new FabricSocketClient(place)]
    this.frontend = new FrontendStreamClient(place)
    for (const client of this.clients) client.start()
  }

  get clients() {
    return [this.transport, ...this.fabric, this.frontend] as const
  }

  begin(): void {
    this.#turn('first').begin()
  }

  /** `whole`: the turn is one that a fault strikes. */
  beginSecond(length: TurnLength): void {
    this.secondLength = length
    this.#turn('second').begin()
  }

  /** Just before the fault. */
  noteApprovals(): void {
    const shown = this.clients.flatMap((client) => client.approvals())
    this.#shown = shown.find((id) => !this.#answered.has(id)) ?? null
  }

  /** Sends the newest command again, and answers its approval. */
  async settle(tally: PromiseTally): Promise<void> {
    await this.#approvalStands(tally)
    const asks = this.kind === 'ask' && (this.commands.length === 1 || this.secondLength === 'whole')
    const answering = asks ? this.#approve(tally) : null
    const command = this.commands.at(-1)
    const outcome = await command?.repeat(tally)
    await answering
    if (this.commands.length === 2)
      tally.check('8', outcome?.isAcknowledged === true, () => `${command?.key} was not taken`)
  }

  detail(): Promise<HttpAnswer | null> {
    return request(this.place, `/sessions/${this.place.id}`)
  }

  stop(): void {
    for (const client of this.clients) client.stop()
  }

  #turn(turn: 'first' | 'second'): RepeatableCommand {
    const key = `${this.place.id}-${turn}`
    const length = turn === 'first' ? 'whole' : this.secondLength
    return this.#command(key, this.agent.prompt(this.kind, length, key))
  }

  #command(key: string, prompt: string): RepeatableCommand {
    const send = { talk: this.#invoke, ask: this.#submit, work: this.#start }[this.kind]
    const command = new RepeatableCommand(key, () => send(key, prompt))
    this.commands.push(command)
    return command
  }

  /** Answers when the run has ended, with its result or its error. */
  readonly #invoke = async (key: string, prompt: string): Promise<CommandOutcome> => {
    const path = `/agents/${this.agent.name}/${this.place.id}`
    const answer = await request(this.place, path, { body: { prompt }, key, signal: this.#line() })
    if (answer === null || answer.status === 503) return null
    return { isAcknowledged: answer.status === 200, answer: { status: answer.status, body: answer.body } }
  }

  readonly #submit = async (commandId: string, prompt: string): Promise<CommandOutcome> => {
    for (let tries = 0; !this.transport.isOpen && tries < OPEN_TRIES; tries++) await sleep(POLL_MS)
    const ack = await this.transport.command({ type: 'submit', prompt, commandId })
    if (ack === null || (!ack.ok && ack.code !== 'command_conflict')) return null
    return { isAcknowledged: ack.ok === true, answer: ack.answer }
  }

  readonly #start = async (key: string, prompt: string): Promise<CommandOutcome> => {
    const body = { agent: this.agent.name, session_id: this.place.id, max_retries: RETRIES, prompt }
    const answer = await request(this.place, '/sessions', { body, key, signal: this.#line() })
    if (answer === null || answer.status === 503) return null
    return { isAcknowledged: answer.status === 202, answer: answer.body.session_id ?? answer.body }
  }

  async #approvalStands(tally: PromiseTally): Promise<void> {
    const shown = this.#shown
    if (shown === null) return
    this.#shown = null
    const open = await this.#until(({ status }) => status === 'awaiting_approval' || isOver(status))
    if (open === null) return tally.giveUp(`${this.place.id} was not seen waiting for ${shown}`)
    const ids = ((open?.approvals ?? []) as { id: string }[]).map(({ id }) => id)
    tally.checkEqual('7', ids, [shown], `the open approvals of ${this.place.id}`)
  }

  /** Answers the approval once the run requests it. A run that was cut before its request has ended. */
  async #approve(tally: PromiseTally): Promise<void> {
    const asking = await this.#until(
      ({ approvals, status, messages }) =>
        (approvals as unknown[]).length > 0 || (isOver(status) && this.#hasPrompts(messages)),
    )
    if (asking === null)
      return tally.giveUp(`${this.place.id} neither asked nor ended within ${PATIENCE_MS / 1_000} seconds`)
    const id = (asking.approvals as { id: string }[])[0]?.id
    if (id === undefined) return
    this.#answered.add(id)
    const path = `/sessions/${this.place.id}/approvals/${id}`
    const approve = new RepeatableCommand(`${this.place.id} ${id}`, async () => {
      const answer = await request(this.place, `${path}/approve`, { body: { args: this.agent.approval.args } })
      if (answer === null || answer.status === 503) return null
      return { isAcknowledged: answer.status === 200, answer: answer.body.decision ?? answer.body }
    })
    approve.begin()
    tally.check('7', (await approve.repeat(tally))?.isAcknowledged === true, () => `${approve.key} was not taken`)
    const other = await request(this.place, `${path}/reject`, { body: {} })
    tally.check(
      '7',
      other === null || other.status === 409,
      () => `${approve.key}: the other answer got ${other?.status}`,
    )
  }

  /** A session is over before its newest prompt is in the log, too. */
  #hasPrompts(messages: unknown): boolean {
    return (messages as { role: string }[]).filter(({ role }) => role === 'user').length >= this.commands.length
  }

  /** Null: the harness gave up. */
  async #until(isSo: (detail: HttpAnswer['body']) => boolean): Promise<HttpAnswer['body'] | null> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(POLL_MS)) {
      const detail = await this.detail()
      if (detail?.status === 200 && isSo(detail.body)) return detail.body
    }
    return null
  }
}

/** A socket opens within moments, or not at all. */
const OPEN_TRIES = 20

const OVER = ['idle', 'completed', 'failed', 'cancelled']
export const isOver = (status: unknown): boolean => OVER.includes(String(status))
