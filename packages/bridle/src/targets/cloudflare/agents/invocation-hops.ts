// An agent in process works inside an invocation of its object, and an invocation may only use so much: time of the
// processor, requests to others. What comes in last pays from then on. So while an agent is at work the object's alarm
// rings every few steps; and a timer holds the object, since a function that waits cannot be taken up by its next life.
import { catalogue, isEventType } from '../../../kernel/catalogue.ts'
import { type AnyEvent, type Key, keyText } from '../../../kernel/event.ts'
import type { Job, RunEnd, Runner } from '../../../kernel/ports/runner.ts'
import type { Clock } from '../../../kernel/ports/store.ts'
import { HOP_MS, HOP_STEPS } from '../limits.ts'

export interface InvocationHopPorts {
  /** Sees to it that something comes in: the alarm, now. */
  readonly hop: () => void
  readonly clock: Clock
}

interface RunHold {
  /** A run that waits for an answer is taken up by whoever wakes, and needs no memory until then. */
  readonly canRest: boolean
  isWaiting: boolean
}

export class InvocationHops {
  readonly #ports: InvocationHopPorts
  readonly #runs = new Map<string, RunHold>()
  #steps = 0
  #forget: (() => void) | null = null

  constructor(ports: InvocationHopPorts) {
    this.#ports = ports
  }

  /** A run is in hand until what this returns is called. */
  holdRun({ key, awaiting }: Job, canRest: boolean): () => void {
    const held: RunHold = { canRest, isWaiting: awaiting.length > 0 }
    this.#runs.set(keyText(key), held)
    this.#updateTimer()
    return () => {
      // The next attempt may have begun.
      if (this.#runs.get(keyText(key)) === held) this.#runs.delete(keyText(key))
      this.#updateTimer()
    }
  }

  /** What a session has written: each thing that an agent does is a step, but its text. */
  countSteps(key: Key, events: readonly AnyEvent[]): void {
    const held = this.#runs.get(keyText(key))
    if (!held) return
    for (const event of events) {
      if (isStep(event)) this.#steps += 1
      if (event.type !== 'session_state') continue
      held.isWaiting = event.payload.status === 'awaiting_approval'
      this.#updateTimer()
    }
    if (this.#steps >= HOP_STEPS) this.#hop()
  }

  /** Holds the object for as long as there is reason to. */
  #updateTimer(): void {
    const isHeld = [...this.#runs.values()].some(({ canRest, isWaiting }) => !canRest || !isWaiting)
    if (isHeld) {
      this.#forget ??= this.#ports.clock.after(HOP_MS, () => this.#hop())
      return
    }
    this.#forget?.()
    this.#forget = null
    this.#steps = 0
  }

  #hop(): void {
    this.#steps = 0
    this.#forget?.()
    this.#forget = null
    this.#updateTimer()
    // Who only waits uses nothing up.
    if ([...this.#runs.values()].some(({ isWaiting }) => !isWaiting)) this.#ports.hop()
  }
}

/** A runner in this process. */
export const withInvocationHops = (
  runner: Runner,
  hops: InvocationHops,
  { canRest }: { readonly canRest: boolean },
): Runner => {
  const held = async (job: Job, play: () => Promise<RunEnd>): Promise<RunEnd> => {
    const end = hops.holdRun(job, canRest)
    try {
      return await play()
    } finally {
      end()
    }
  }
  return {
    ...runner,
    start: (job, outlet) => held(job, () => runner.start(job, outlet)),
    attach: (job, outlet) => held(job, () => runner.attach(job, outlet)),
  }
}

const isStep = ({ type }: AnyEvent): boolean =>
  type !== 'token' && isEventType(type) && catalogue[type].source === 'runner'
