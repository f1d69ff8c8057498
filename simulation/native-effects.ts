// The effects of native agents: calls, steps and requests to a model that really happened, in any process. Each is compared with the
// log when it happens and at the end.
import { type AnyEvent, type Event, type Key, keyText } from '@bridle/kernel/event'
import { fail, note, type SimulationContext } from './ground.ts'
import type { SessionHistory, StoreModel } from './model.ts'
import type { SimulatedProcess } from './process.ts'

export type CallEffect = 'pure' | 'idempotent' | 'unsafe'

interface EffectRecord {
  readonly key: Key
  readonly effect: CallEffect
  times: number
}

interface ModelRequestFacts {
  readonly runId: string | undefined
  readonly users: number
  readonly hash: string
}

export class NativeEffects {
  readonly #ground: SimulationContext
  readonly #model: StoreModel
  readonly #calls = new Map<string, EffectRecord>()
  /** By run and hash: the finished steps of the run before the request. */
  readonly #requests = new Map<string, number>()
  readonly #hashes = new Map<string, string>()

  constructor(ground: SimulationContext, model: StoreModel) {
    this.#ground = ground
    this.#model = model
  }

  /** A call takes effect. Its step key names the session, the run and the call. */
  call(process: SimulatedProcess, key: Key, stepKey: string, effect: CallEffect): void {
    const record = this.#calls.get(stepKey) ?? { key, effect, times: 0 }
    this.#calls.set(stepKey, record)
    record.times += 1
    note(this.#ground, `${process.name} makes ${stepKey} (${effect}), time ${record.times}`)
    const events = this.#model.current(key)?.events
    if (process.deposed || !events) return
    const calls = ofCall(events, 'tool_call', stepKey)
    if (calls.length === 0) this.#fail(`${stepKey} was made before it was in the log`)
    const settled = ofCall(events, 'tool_outcome', stepKey).filter((event) => !isBySession(event))
    if (settled.length > 0) this.#fail(`${stepKey} was made again after its outcome`)
  }

  /** A step of a function takes effect. */
  step(process: SimulatedProcess, key: Key, stepKey: string, name: string): void {
    note(this.#ground, `${process.name} takes ${stepKey}`)
    if (process.deposed) return
    const isDone = this.#eventsOf(key).some(
      (event) => event.type === 'step_done' && event.payload.name === name && isOfRun(event, stepKey),
    )
    if (isDone) this.#fail(`${stepKey} was taken again after it was done`)
  }

  /** The run of a session that is in progress now. */
  runOf(key: Key): string | undefined {
    return this.#model.current(key)?.state.lifecycle.run?.runId
  }

  /** A model gets a request: the words of so many users, and a hash of all of it. */
  request(process: SimulatedProcess, key: Key, { runId, users, hash }: ModelRequestFacts): void {
    if (process.deposed || runId === undefined) return
    const events = this.#eventsOf(key).filter(({ run }) => run === runId)
    const steps = events.filter(({ type }) => type === 'model_step').length
    const name = `${keyText(key)}/${runId}`
    note(this.#ground, `${process.name} asks the model for step ${steps + 1} of ${name}: ${hash}`)
    const before = this.#requests.get(`${name} ${hash}`)
    if (before !== undefined && before < steps) this.#fail(`step ${before + 1} of ${name} was asked for again`)
    this.#requests.set(`${name} ${hash}`, steps)
    // The same step after a crash is asked for with the same bytes, unless somebody steered meanwhile.
    const place = `${name} step ${steps + 1}, ${users} users`
    const other = this.#hashes.get(place)
    if (other !== undefined && other !== hash) this.#fail(`${place} was asked for with other words: ${other}, ${hash}`)
    this.#hashes.set(place, hash)
  }

  /** After all: no unsafe call was repeated unless a person agreed to each repetition. */
  checkAll(): void {
    for (const [stepKey, { key, effect, times }] of this.#calls) {
      if (effect !== 'unsafe') continue
      const approved = this.#model.livesOf(key).flatMap(({ events }) => repetitions(events, stepKey)).length
      if (times > 1 + approved)
        this.#fail(`${stepKey} is unsafe, and was made ${times} times; ${approved} were approved`)
    }
    for (const life of this.#model.lives) if (isNative(life)) this.#checkLife(life)
  }

  #checkLife({ name, events, ledger }: SessionHistory): void {
    const calls = counted(events, 'tool_call', ({ payload }) => payload.tool_call_id)
    const outcomes = counted(events, 'tool_outcome', ({ payload }) => payload.tool_call_id)
    for (const [call, times] of calls) if (times > 1) this.#fail(`${call} of ${name} was announced ${times} times`)
    for (const [call, times] of outcomes) if (times > 1) this.#fail(`${call} of ${name} has ${times} outcomes`)
    for (const call of calls.keys())
      if (ledger.runs.get(call.split(' ', 1)[0]!)?.end && !outcomes.has(call))
        this.#fail(`${call} of ${name} has no outcome, and its run is over`)
    const asked = counted(events, 'approval_required', ({ payload }) =>
      (payload.kind ?? 'tool') === 'tool' ? payload.tool_call_id : null,
    )
    for (const [call, times] of asked) if (times > 1) this.#fail(`${call} of ${name} was asked about ${times} times`)
    for (const { type, seq, payload } of events)
      if (type === 'error' && payload.reason === 'interrupted')
        this.#fail(`the run at ${seq} of ${name} was interrupted`)
  }

  #eventsOf(key: Key): readonly AnyEvent[] {
    return this.#model.current(key)?.events ?? []
  }

  #fail(text: string): void {
    fail(this.#ground, 'effects', text)
  }
}

export const NATIVE_AGENTS: readonly string[] = ['worker', 'thinker']
export const isNative = ({ key }: SessionHistory): boolean => NATIVE_AGENTS.includes(key.agent)

/** How often each call of each run occurs. A branch ends the calls of its parent: those do not count. */
const counted = <T extends AnyEvent['type']>(
  events: readonly AnyEvent[],
  type: T,
  callOf: (event: Event<T>) => string | null | undefined,
): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.type !== type || (event.payload as { reason?: unknown }).reason === 'branched') continue
    const call = callOf(event as unknown as Event<T>)
    if (call) counts.set(`${event.run} ${call}`, (counts.get(`${event.run} ${call}`) ?? 0) + 1)
  }
  return counts
}

/** The session settles the calls of a run that is cancelled, although they may be under way. */
const isBySession = ({ payload }: AnyEvent): boolean => (payload as { reason?: unknown }).reason === 'interrupted'

const isOfRun = ({ run }: AnyEvent, stepKey: string): boolean =>
  run !== undefined && stepKey.split(/[:./]/).includes(run)

const ofCall = (events: readonly AnyEvent[], type: 'tool_call' | 'tool_outcome', stepKey: string): AnyEvent[] =>
  events.filter(
    (event) => event.type === type && isOfRun(event, stepKey) && stepKey.endsWith(String(event.payload.tool_call_id)),
  )

/** Approvals to make a call again whose outcome nobody knew. */
const repetitions = (events: readonly AnyEvent[], stepKey: string): string[] => {
  const asked = events.flatMap((event) =>
    event.type === 'approval_required' &&
    event.payload.kind === 'unknown_outcome' &&
    isOfRun(event, stepKey) &&
    stepKey.endsWith(String(event.payload.tool_call_id))
      ? [event.payload.request_id]
      : [],
  )
  return events.flatMap((event) =>
    event.type === 'approval_decided' &&
    event.payload.decision === 'approved' &&
    asked.includes(event.payload.request_id)
      ? [event.payload.request_id]
      : [],
  )
}
