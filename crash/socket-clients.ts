// WebSockets: the transport (a state and deltas) and the Fabric socket (events).

import { applyOperations } from '@bridle/kernel/delta'
import { WebSocket } from 'ws'
import { agentApprovals, agentTexts } from './agent-events.ts'
import { type ChatMessage, type EventBody, EventRecord, seqOf, WireClient, type WireEvent } from './wire-client.ts'

interface TransportState {
  readonly messages: readonly (ChatMessage & { readonly id: string })[]
  readonly approvals?: readonly { readonly id: string }[]
}

export interface CommandAck {
  readonly ok?: boolean
  readonly answer?: unknown
  readonly code?: string
}

/** The messages of both sockets; each has some of the fields. */
interface ServerMessage extends CommandAck {
  readonly type: string
  readonly event?: EventBody & { readonly id: string; readonly type: string }
  readonly state?: TransportState
  readonly operations?: unknown
  readonly seq?: number
  readonly prev?: number
  readonly commandId?: string
}

abstract class SocketClient extends WireClient {
  protected socket: WebSocket | null = null
  protected abstract path(): string
  protected abstract hear(message: ServerMessage): void

  protected connect(hangUp: (end: () => void) => void): Promise<void> {
    const url = `${this.place.url().replace(/^http/, 'ws')}${this.path()}&tenant=${this.place.tenant}`
    const socket = new WebSocket(url, { handshakeTimeout: 5_000 })
    this.socket = socket
    hangUp(() => socket.terminate())
    socket.on('message', (data) => this.hear(JSON.parse(data.toString())))
    socket.on('error', () => {})
    return new Promise((resolve) => socket.once('close', () => resolve()))
  }
}

export class FabricSocketClient extends SocketClient {
  readonly wire = 'Fabric WebSocket'
  readonly #record = new EventRecord(this.faults)
  protected path = () =>
    `/sessions/${this.place.id}/ws?${this.#record.cursor === null ? 'replay=all' : `after=${this.#record.cursor}`}`

  get seq(): number {
    return this.#record.seq
  }

  get events(): readonly WireEvent[] {
    return this.#record.events
  }

  protected hear({ type, event }: ServerMessage): void {
    if (type !== 'event' || !event) return
    const { id, type: name } = event
    if (name === 'reset') this.#record.reset()
    else this.#record.add({ seq: seqOf(id), cursor: id, type: name, raw: JSON.stringify(event), body: event })
  }

  texts = () => agentTexts(this.events)
  approvals = () => agentApprovals(this.events)
}

export class TransportClient extends SocketClient {
  readonly wire = 'transport'
  state: TransportState = { messages: [] }
  seq = 0
  readonly #approvals = new Set<string>()
  readonly #waiting = new Map<string, (ack: CommandAck) => void>()

  protected path = () =>
    `/ws?sessionId=${this.place.id}&agent=${this.place.agent}${this.seq > 0 ? `&after=${this.seq}` : ''}`

  protected hear(message: ServerMessage): void {
    const { type, state, operations, seq = 0, prev, commandId = '' } = message
    if (type === 'state' && state) this.#replace(state, seq)
    else if (type === 'delta') {
      if (prev !== this.seq) this.faults.push({ promise: '3', text: `a delta from ${prev} came at ${this.seq}` })
      this.state = applyOperations(this.state as never, operations as never) as unknown as TransportState
      this.seq = seq
    } else if (type === 'ack') this.#waiting.get(commandId)?.(message)
    for (const { id } of this.state.approvals ?? []) this.#approvals.add(id)
  }

  /** A whole state may replace the client's state. The new one has at least as much text, never less. */
  #replace(state: TransportState, seq: number): void {
    if (seq < this.seq) this.faults.push({ promise: '1', text: `a state of ${seq} came at ${this.seq}` })
    for (const { id, content } of this.state.messages)
      if (!this.place.isWithdrawable && !state.messages.find((each) => each.id === id)?.content.startsWith(content))
        this.faults.push({ promise: '1', text: `the state of ${seq} takes back text of message ${id}` })
    this.state = state
    this.seq = seq
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  /** Null when the connection was cut before the answer came. */
  command(command: {
    readonly type: string
    readonly prompt: string
    readonly commandId: string
  }): Promise<CommandAck | null> {
    const { socket } = this
    if (!socket || !this.isOpen) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#waiting.set(command.commandId, resolve)
      socket.once('close', () => resolve(null))
      socket.send(JSON.stringify({ type: 'commands', commands: [command] }))
    })
  }

  texts = () => this.state.messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []))
  approvals = () => [...this.#approvals]
}
