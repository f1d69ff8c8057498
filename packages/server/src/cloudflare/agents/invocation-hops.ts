// The platform limits the CPU time and requests of each invocation, and work counts towards the newest one. So an alarm starts
// one every few steps while an agent runs in the object, and a timer keeps the object in memory.
import { catalogue, isEventType } from '@bridle/events/catalogue'
import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'

/** A tool call takes two or three steps and may send several requests; the smallest plan allows 50 per invocation. */
export const HOP_STEPS = 20
/** A third of an invocation's CPU time, for runs with few steps. */
export const HOP_MS = 10_000

export interface InvocationHopPorts {
  /** Starts a new invocation by ringing the alarm immediately. */
  readonly hop: () => void
  readonly clock: Clock
}

interface RunHold {
  /** True if the next start of the object can resume a run that waits for an answer. */
  readonly canRest: boolean
  /** A durable run only holds the object while it works. */
  isDurable: boolean
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

  holdRun({ key, awaiting, course }: Job, canRest: boolean): () => void {
    const isDurable = course !== undefined
    const held: RunHold = { canRest, isDurable, isWaiting: !isDurable && awaiting.length > 0 }
    this.#runs.set(keyText(key), held)
    this.#updateTimer()
    return () => {
      // The next attempt may already have replaced it.
      if (this.#runs.get(keyText(key)) === held) this.#runs.delete(keyText(key))
      this.#updateTimer()
    }
  }

  /** Every committed event is a step, except text. */
  countSteps(key: Key, events: readonly AnyEvent[]): void {
    const held = this.#runs.get(keyText(key))
    if (!held) return
    for (const event of events) {
      if (isStep(event)) this.#steps += 1
      if (event.type === 'run_started' && event.payload.durable) held.isDurable = true
      if (event.type !== 'session_state') continue
      held.isWaiting = !held.isDurable && event.payload.status === 'awaiting_approval'
      this.#updateTimer()
    }
    if (this.#steps >= HOP_STEPS) this.#hop()
  }

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
    // Waiting uses none of the invocation's budget.
    if ([...this.#runs.values()].some(({ isWaiting }) => !isWaiting)) this.#ports.hop()
  }
}

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
    start: (job, reporter) => held(job, () => runner.start(job, reporter)),
    attach: (job, reporter) => held(job, () => runner.attach(job, reporter)),
  }
}

const isStep = ({ type }: AnyEvent): boolean =>
  type !== 'token' && type !== 'thinking' && isEventType(type) && catalogue[type].source === 'runner'
