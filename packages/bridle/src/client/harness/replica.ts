// The client's copy of the state. It is never computed here, only told; what does not fit on what is here is refused
// whole, and the next connection starts from a state.
import type { DeltaOperation } from '../../kernel/delta.ts'
import { positionText } from '../../kernel/positions/log-position.ts'
import type { HarnessState } from '../../kernel/projections/conversation/harness-state.ts'
import { applyToState } from '../../kernel/state-operations.ts'
import type { ServerMessage } from '../../surfaces/transport/wire.ts'
import { isMessage, isState, ProtocolError } from './server-messages.ts'

type ServerMessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>

export class Replica {
  #state: HarnessState = { status: 'idle', messages: [] }
  #seq: number | null = null
  #incarnation = 1
  #hasState = false

  get state(): HarnessState {
    return this.#state
  }

  /** Where the state stands; null where the server does not say, or where it cannot be built upon. */
  get seq(): number | null {
    return this.#seq
  }

  /** The same as the server's cursor: with the incarnation of the log that the numbers are of. */
  get cursor(): string | null {
    return this.#seq === null ? null : positionText(this.#seq, this.#incarnation)
  }

  /** A new connection. Unless it was asked to go on from `seq`, it has to begin with a state. */
  beginConnection(goesOn: boolean): void {
    this.#hasState = goesOn
  }

  replace({ state, seq, incarnation = 1 }: ServerMessageOf<'state'>): void {
    this.#state = state
    this.#seq = seq ?? null
    this.#incarnation = incarnation
    this.#hasState = true
  }

  /** All of it or, by throwing, nothing. */
  apply({ operations, seq, prev }: ServerMessageOf<'delta'>): void {
    if (!this.#hasState) throw new ProtocolError('a delta before any state')
    if (prev !== undefined && this.#seq !== null && prev !== this.#seq)
      throw new ProtocolError(`a gap: at ${this.#seq}, got a delta from ${prev}`)
    if (seq !== undefined && seq < (prev ?? 0)) throw new ProtocolError('a delta that leads backwards')
    const next = applyToState(this.#state, operations)
    if (!isState(next) || !changedMessages(next, operations).every(isMessage))
      throw new ProtocolError('a delta that spoils the state')
    this.#state = next
    this.#seq = seq ?? null
  }

  /** The next connection has to start from a state. */
  forget(): void {
    this.#seq = null
    this.#hasState = false
  }
}

/** The messages that a batch has changed: looking at all of them each time would make long sessions slow. */
const changedMessages = ({ messages }: HarnessState, operations: readonly DeltaOperation[]): unknown[] => {
  const indices = new Set<string>()
  for (const { path } of operations) {
    if (path[0] === undefined || (path[0] === 'messages' && path[1] === undefined)) return [...messages]
    if (path[0] === 'messages') indices.add(path[1] as string)
  }
  return [...indices].map((index) => messages[Number(index)])
}
