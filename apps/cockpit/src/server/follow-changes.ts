// Keeps the live lists current while a page is open.
import type { FabricClientOptions, OperatorClient } from 'bridle/client'
import { type LiveStore, loadLists } from './live-store.ts'

interface Followed {
  readonly client: OperatorClient
  readonly options: FabricClientOptions
  readonly live: LiveStore
}

export const followChanges = ({ client, live }: Followed): (() => void) => {
  let isOver = false
  const load = async (): Promise<void> => {
    try {
      const lists = await loadLists(client)
      if (!isOver)
        live.update((state) => ({
          ...state,
          ...lists,
          isLoaded: true,
          phase: 'open',
          error: null,
          heardAt: Date.now(),
        }))
    } catch (error) {
      if (!isOver) live.update((state) => ({ ...state, phase: 'reconnecting', error: error as Error }))
    }
  }
  void load()
  const timer = setInterval(load, 2_000)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
