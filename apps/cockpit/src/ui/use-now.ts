// The present moment, for ages that grow while a page is open. One timer serves all components.
import { createContext, use, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The moment that a part of the page shows, where it shows the past: ages there are those of then. */
export const MomentContext = createContext<number | null>(null)

/** In ms since 1970, to the second. */
export const useNow = (): number => {
  const moment = use(MomentContext)
  return useSyncExternalStore(moment === null ? subscribe : subscribeNever, () => moment ?? now)
}

/** The same by the clock of the reader, also where the page shows the past. */
export const usePresent = (): number => useSyncExternalStore(subscribe, () => now)

const subscribeNever = (): (() => void) => () => {}
