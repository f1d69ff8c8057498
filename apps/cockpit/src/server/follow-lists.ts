// Loads the live lists after each gap, and folds the changes in between. Lists that cannot be loaded are asked for again: until they
// are there, the changes wait, because a change alone does not make a list.
import type { FabricClient, TenantChange } from 'bridle/client'
import { applyChange, type LiveStore, loadLists } from './live-store.ts'

/** Time before lists that could not be loaded are asked for again: soon enough for a server that was busy for a moment. */
export const LIST_RETRY_MS = 2_000

interface FollowedLists {
  readonly onChange: (change: TenantChange) => void
  readonly close: () => void
}

export const followLists = (
  client: Pick<FabricClient, 'sessions' | 'approvals'>,
  live: Pick<LiveStore, 'update'>,
): FollowedLists => {
  /** Changes that came while lists load: a list may be older than they are. */
  let early: TenantChange[] | null = null
  let round = 0
  let retry: ReturnType<typeof setTimeout> | undefined

  const load = async (): Promise<void> => {
    clearTimeout(retry)
    round += 1
    const own = round
    early = []
    try {
      const lists = await loadLists(client)
      if (own !== round) return
      const changes = early
      early = null
      live.update((state) =>
        changes.reduce(applyChange, { ...state, ...lists, isLoaded: true, error: null, heardAt: Date.now() }),
      )
    } catch (error) {
      if (own !== round) return
      live.update((state) => ({ ...state, error: error as Error }))
      retry = setTimeout(load, LIST_RETRY_MS)
    }
  }

  return {
    onChange: (change) => {
      if (change.type === 'ready') void load()
      else if (early) early.push(change)
      else live.update((state) => ({ ...applyChange(state, change), heardAt: Date.now() }))
    },
    close: () => {
      clearTimeout(retry)
      round += 1
    },
  }
}
