// Long lists take turns. The database answers on the only thread there is, so a list that reads many rows reads them in
// slices: one slice in each turn of the event loop, and everybody else's work in between.
import type { ListReader } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'

/** Lists of one reader that read more than a slice at the same time: more do not end sooner, and others wait for each. */
export const LONG_LISTS_MAX = 2
/** Further long lists of the reader that wait for these; the next one is refused, so that nobody queues hours of work. */
export const WAITING_LISTS_MAX = 32

export interface SliceTurns {
  /** Calls `readSlice` until it returns true. Rejects when the reader has gone, or has too many long lists. */
  read(reader: ListReader | undefined, readSlice: () => boolean): Promise<void>
}

/** `pause` resolves when other work has had its turn. */
export const sliceTurns = (pause: () => Promise<void>): SliceTurns => {
  const admit = admission()
  // Most lists end with their first slice, so a first slice does not queue behind all slices of long lists.
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

  /** Resolves when the caller may read one slice. */
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

/** Each reader may have a few long lists at once. The next ones wait, and only so many. */
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
      // The place of the list that ends is handed on, so that `active` stays as it is.
      await new Promise<void>((resolve) => lists.waiting.push(resolve))
    }
    return () => {
      const next = lists.waiting.shift()
      if (next) next()
      else if (--lists.active === 0) readers.delete(who)
    }
  }
}
