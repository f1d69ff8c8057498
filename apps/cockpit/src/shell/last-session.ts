// The session that was looked at last: its debug page opens from anywhere.
import { useSyncExternalStore } from 'react'

interface LastSession {
  readonly id: string
  readonly agent: string
}

let last: LastSession | null = null
const listeners = new Set<() => void>()

export const keepLastSession = ({ id, agent }: LastSession): void => {
  if (last?.id === id && last.agent === agent) return
  last = { id, agent }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLastSession = (): LastSession | null => useSyncExternalStore(subscribe, () => last)
