// The conversation as it was: the same members that the thread reads from a live one, and commands that all refuse. One object serves every
// event, so that a row renders only where its own part of the state differs.
import type { HarnessClient, HarnessConnection, HarnessState } from 'bridle/client'
import type { HarnessLike } from 'bridle/react'

/** The members of a live conversation that the page of a session uses. */
export type Conversation = HarnessLike & Pick<HarnessClient, 'branch' | 'upload'>

const refuse = (): Promise<never> =>
  Promise.reject(new Error('This page shows the past. Go back to live, or branch here.'))

export class PastConversation implements Conversation {
  #state: HarnessState
  #connection: HarnessConnection
  readonly #listeners = new Set<() => void>()
  readonly held = []
  readonly submit = refuse
  readonly steer = refuse
  readonly edit = refuse
  readonly reload = refuse
  readonly cancel = refuse
  readonly approve = refuse
  readonly answer = refuse
  readonly pause = refuse
  readonly resume = refuse
  readonly signal = refuse
  readonly branch = refuse
  readonly upload = refuse

  constructor(state: HarnessState, seq: number) {
    this.#state = state
    this.#connection = connectionAt(seq)
  }

  /** Shows the state at another event. */
  show(state: HarnessState, seq: number): void {
    if (this.#connection.lastSeq !== seq) this.#connection = connectionAt(seq)
    else if (this.#state === state) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  getSnapshot = (): HarnessState => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get connection(): HarnessConnection {
    return this.#connection
  }

  discard = (): boolean => false
}

/** A state that is here already needs no connection. */
const connectionAt = (lastSeq: number): HarnessConnection => ({ phase: 'open', attempt: 0, resyncs: 0, lastSeq })
