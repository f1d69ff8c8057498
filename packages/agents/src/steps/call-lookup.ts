// Finds the logged call that a function repeats, by name and arguments and never by position: two calls may change places.
import { canonicalJson, type JsonObject } from '@bridle/events/json'
import type { CallRecord, Effect, LogMark, RunMemo } from './memo.ts'

export class CallLookup {
  readonly #memo: RunMemo
  readonly #byName: Map<string, CallRecord[]>
  /** Calls of one step key are tries of one call. */
  readonly #tries: Map<string, CallRecord[]>
  readonly #ids: Set<string>
  readonly #taken = new Set<string>()
  /** The last number of each id: a function may make thousands of calls of one name. */
  readonly #numbers = new Map<string, number>()
  readonly #onSettled: (call: CallRecord) => void

  /** `onSettled` hears of each settled call that the function makes again. */
  constructor(memo: RunMemo, onSettled: (call: CallRecord) => void = () => {}) {
    this.#memo = memo
    this.#onSettled = onSettled
    this.#ids = new Set(memo.calls.keys())
    this.#byName = Map.groupBy(memo.calls.values(), (call) => nameKey(baseId(call.id), call))
    this.#tries = Map.groupBy(memo.calls.values(), ({ stepId }) => stepId)
  }

  /** The call with these arguments that was not repeated yet: a settled one, else an open one. Without one the call is new, and not in the log. */
  take(base: string, tool: string, args: JsonObject, effect: Effect): { call: CallRecord; isNew: boolean } {
    const equal = this.#byName.get(nameKey(baseId(base), { tool, arguments: args })) ?? []
    // A function makes its calls again in their order, mostly: one that polls finds each of thousands at the front.
    while (equal[0] && this.#taken.has(equal[0].id)) equal.shift()
    const findFree = (which: (each: CallRecord) => boolean) =>
      equal.find((each) => which(each) && !this.#taken.has(each.id))
    const call = findFree((each) => each.outcome !== null && !each.isVoid) ?? findFree((each) => !each.outcome)
    if (call) {
      this.#take(call)
      if (call.outcome) this.#onSettled(call)
      return { call, isNew: false }
    }
    // A call that failed for a while is made again under its step key: it may have acted all the same.
    const failed = findFree((each) => each.isVoid && each.outcome?.transient === true)
    if (failed) this.#take(failed)
    return { call: this.#create(base, tool, args, effect, failed?.stepId), isNew: true }
  }

  markTaken(id: string): void {
    this.#taken.add(id)
  }

  /** Calls that were open when the function began, and that it did not make again. */
  abandoned(): CallRecord[] {
    return [...this.#memo.calls.values()].filter(({ id, outcome }) => !outcome && !this.#taken.has(id))
  }

  #take({ stepId }: CallRecord): void {
    for (const { id } of this.#tries.get(stepId) ?? []) this.#taken.add(id)
  }

  #create(base: string, tool: string, args: JsonObject, effect: Effect, stepId?: string): CallRecord {
    let n = this.#numbers.get(base) ?? 1
    while (this.#ids.has(numbered(base, n))) n++
    this.#numbers.set(base, n)
    const id = numbered(base, n)
    this.#ids.add(id)
    const call = { id, tool, arguments: args, effect, stepId: stepId ?? id }
    return { ...call, outcome: null, isVoid: false, from: NEW, to: NEW }
  }
}

/** The log has no place for a call that has not begun. */
const NEW: LogMark = { seq: 0, text: 0, thoughts: 0 }

const numbered = (base: string, n: number): string => (n === 1 ? base : `${base}#${n}`)

const baseId = (id: string): string => id.replace(/#\d+$/, '')

const nameKey = (base: string, { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>): string =>
  `${base} ${canonicalJson([tool, args])}`
