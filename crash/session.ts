// A session that a round plays: the commands it gets, and the clients that watch it, one on each wire.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashAgent } from './agents.ts'
import { type CommandOutcome, RepeatableCommand } from './command.ts'
import { type HttpAnswer, request } from './http.ts'
import type { PromiseTally } from './promises.ts'
import { FabricSocketClient, TransportClient } from './socket-clients.ts'
import { FabricStreamClient, FrontendStreamClient } from './stream-clients.ts'
import type { SessionAddress } from './wire-client.ts'

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

  /** Just before the fault. */
  noteApprovals(): void {
    this.#shown = this.clients.flatMap((client) => client.approvals())[0] ?? null
  }

  /** After the fault: the command is sent again, the approval is answered, and a second turn is submitted. */
  async goOn(tally: PromiseTally): Promise<void> {
    await this.#approvalStands(tally)
    const answering = this.kind === 'ask' ? this.#approve(tally) : null
    await this.commands[0]?.repeat(tally)
    await answering
    if (this.kind === 'work') return
    const second = this.#turn('second')
    second.begin()
    tally.check('8', (await second.repeat(tally))?.isAcknowledged === true, () => `${second.key} was not taken`)
  }

  detail(): Promise<HttpAnswer | null> {
    return request(this.place, `/sessions/${this.place.id}`)
  }

  stop(): void {
    for (const client of this.clients) client.stop()
  }

  #turn(turn: 'first' | 'second'): RepeatableCommand {
    const key = `${this.place.id}-${turn}`
    return this.#command(key, this.agent.prompt(this.kind, turn, key))
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
    if (this.#shown === null) return
    const open = await this.#until((detail) => detail.status === 'awaiting_approval')
    const ids = ((open?.approvals ?? []) as { id: string }[]).map(({ id }) => id)
    tally.checkEqual('7', ids, [this.#shown], `the open approvals of ${this.place.id}`)
  }

  /** Answers the approval once the run requests it. A run that was cut before its request has ended. */
  async #approve(tally: PromiseTally): Promise<void> {
    const asking = await this.#until(({ approvals, status }) => (approvals as unknown[]).length > 0 || isOver(status))
    const id = ((asking?.approvals ?? []) as { id: string }[])[0]?.id
    if (id === undefined) return
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

  async #until(isSo: (detail: HttpAnswer['body']) => boolean): Promise<HttpAnswer['body'] | null> {
    let detail: HttpAnswer | null = null
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(POLL_MS)) {
      detail = await this.detail()
      if (detail?.status === 200 && isSo(detail.body)) return detail.body
    }
    return detail?.body ?? null
  }
}

const PATIENCE_MS = 5_000
/** A socket opens within moments, or not at all. */
const OPEN_TRIES = 20
const POLL_MS = 10

const OVER = ['idle', 'completed', 'failed', 'cancelled']
export const isOver = (status: unknown): boolean => OVER.includes(String(status))
