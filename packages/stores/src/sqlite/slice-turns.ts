// The database blocks the only thread, so long lists are read in slices, one per turn of the event loop.
import type { ListReader } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'

/** Per reader. More in parallel would finish no sooner, and delay others. */
export const LONG_LISTS_MAX = 2
/** Further long lists are refused, so that no reader queues hours of work. */
export const WAITING_LISTS_MAX = 32

export interface SliceTurns {
  /** Calls `readSlice` until it returns true. Rejects if the reader is gone or has too many long lists. */
  read(reader: ListReader | undefined, readSlice: () => boolean): Promise<void>
}

/** `pause` resolves after other work had a turn. */
export const sliceTurns = (pause: () => Promise<void>): SliceTurns => {
  const admit = admission()
  // Most lists need a single slice, so first slices alternate with further slices of long lists.
  const first: (() => void)[] = []
  const further: (() => void)[] = []
  let isTaken = false
  let wasFirst = false

  const giveTurns = async (): Promise<void> => {
    for (;;) {
      await pause()
      const queue = wasFirst ? [further, first] : [first, further]
      const next = queue[0]!.shift() ?? queue[1]!.shift()
      if (!next) break
      wasFirst = !wasFirst
      next()
    }
    isTaken = false
  }

  const turn = (queue: (() => void)[]): Promise<void> => {
    if (isTaken) return new Promise((resolve) => queue.push(resolve))
    isTaken = true
    void giveTurns()
    return Promise.resolve()
  }

  return {
    async read(reader, readSlice) {
      await turn(first)
      if (readSlice()) return
      const leave = await admit(reader)
      try {
        do {
          await turn(further)
          if (reader?.signal?.aborted) throw new StoreFault('busy', `${reader.who} has gone`)
        } while (!readSlice())
      } finally {
        leave()
      }
    },
  }
}

/** Limits the active and the waiting long lists of each reader. */
const admission = () => {
  const readers = new Map<string, { active: number; readonly waiting: (() => void)[] }>()

  return async (reader: ListReader | undefined): Promise<() => void> => {
    if (!reader) return () => {}
    const { who } = reader
    const lists = readers.get(who) ?? { active: 0, waiting: [] }
    readers.set(who, lists)
    if (lists.active < LONG_LISTS_MAX) lists.active++
    else {
      if (lists.waiting.length >= WAITING_LISTS_MAX)
        throw new StoreFault('busy', `${who} has ${LONG_LISTS_MAX + WAITING_LISTS_MAX} long lists in progress`)
      // The finished list hands over its slot, so `active` stays unchanged.
      await new Promise<void>((resolve) => lists.waiting.push(resolve))
    }
    return () => {
      const next = lists.waiting.shift()
      if (next) next()
      else if (--lists.active === 0) readers.delete(who)
    }
  }
}
