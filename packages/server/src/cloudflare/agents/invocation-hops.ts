// An agent in process runs inside an invocation of its object, and the platform limits the processor time and the requests of
// an invocation. Work is charged to the invocation that began last. So while an agent runs, the object's alarm rings every few
// steps; and a timer keeps the object in memory. A durable run that waits is in nobody's hands, so that nothing keeps its object.
import { catalogue, isEventType } from '@bridle/events/catalogue'
import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'

/** A call of a tool is two or three steps and may send several requests: the smallest plan allows 50 per invocation. */
export const HOP_STEPS = 20
/** However few the steps: a third of the time that an invocation may compute. */
export const HOP_MS = 10_000

export interface InvocationHopPorts {
  /** Begins a new invocation: the alarm rings at once. */
  readonly hop: () => void
  readonly clock: Clock
}

interface RunHold {
  /** The object's next start continues a run that waits for an answer, so the run needs no memory until then. */
  readonly canRest: boolean
  /** A durable run in hand works: one that waits is in hand no longer. */
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

  /** Counts a run as active until the returned function is called. */
  holdRun({ key, awaiting, course }: Job, canRest: boolean): () => void {
    const isDurable = course !== undefined
    const held: RunHold = { canRest, isDurable, isWaiting: !isDurable && awaiting.length > 0 }
    this.#runs.set(keyText(key), held)
    this.#updateTimer()
    return () => {
      // The next attempt may have begun.
      if (this.#runs.get(keyText(key)) === held) this.#runs.delete(keyText(key))
      this.#updateTimer()
    }
  }

  /** Counts committed events as steps: everything that an agent does, except its text. */
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

  /** Keeps the object in memory while a run is active. */
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
    // An agent that only waits uses up nothing of its invocation.
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
    start: (job, reporter) => held(job, () => runner.start(job, reporter)),
    attach: (job, reporter) => held(job, () => runner.attach(job, reporter)),
  }
}

const isStep = ({ type }: AnyEvent): boolean =>
  type !== 'token' && type !== 'thinking' && isEventType(type) && catalogue[type].source === 'runner'
