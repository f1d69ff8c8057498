// Ends the life of an object at a chosen write of its session: before the write is made, or once it is durable and nobody has
// heard of it. The plans outlive the objects, since they belong to the isolate.
import type { ObjectContext } from '../platform/platform.ts'

export interface WriteCrash {
  /** Counted from the first write of the session on, over all lives of its object. */
  readonly write: number
  readonly when: 'before' | 'after'
}

const plans = new Map<string, WriteCrash>()
const counts = new Map<string, number>()

export const planCrash = (name: string, plan: WriteCrash): void => {
  plans.set(name, plan)
}

/** The writes of a session so far. */
export const writeCount = (name: string): number => counts.get(name) ?? 0

/** Counts the writes of an object, and ends its life at the planned one. */
export const crashAtWrites = (ctx: ObjectContext): void => {
  const { storage } = ctx
  const { sql } = storage
  const name = ctx.id.name ?? ''
  let isWriting = false
  const isPlanned = (when: WriteCrash['when']): boolean => {
    const plan = plans.get(name)
    if (plan?.when !== when || plan.write !== writeCount(name)) return false
    plans.delete(name)
    return true
  }
  const exec = sql.exec.bind(sql)
  sql.exec = (text, ...values) => {
    if (!isWriting && text.startsWith('INSERT INTO log')) {
      isWriting = true
      counts.set(name, writeCount(name) + 1)
      if (isPlanned('before')) {
        ctx.abort('ended before a write')
        throw new Error('ended before a write')
      }
    }
    return exec(text, ...values)
  }
  const sync = storage.sync.bind(storage)
  storage.sync = async () => {
    const wasWriting = isWriting
    isWriting = false
    await sync()
    if (!wasWriting || !isPlanned('after')) return
    ctx.abort('ended after a write')
    await new Promise(() => {})
  }
}
