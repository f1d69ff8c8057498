// Keeps the live lists current while a page is open: loads them after each gap, and folds the changes in between.
import {
  connectChanges,
  type FabricClientOptions,
  FabricError,
  type OperatorClient,
  type TenantChange,
} from 'bridle/client'
import { applyChange, type LiveStore, loadLists } from './live-store.ts'

interface FollowedServer {
  readonly client: OperatorClient
  readonly options: FabricClientOptions
  readonly live: LiveStore
}

export const followChanges = ({ client, options, live }: FollowedServer): (() => void) => {
  let isOver = false
  /** Changes that came while lists load: a list may be older than they are. */
  let early: TenantChange[] | null = null
  let loads = 0

  const load = async (): Promise<void> => {
    loads += 1
    const round = loads
    early = []
    try {
      const lists = await loadLists(client)
      if (isOver || round !== loads) return
      const changes = early ?? []
      early = null
      live.update((state) =>
        changes.reduce(applyChange, { ...state, ...lists, isLoaded: true, error: null, heardAt: Date.now() }),
      )
    } catch (error) {
      if (!isOver && round === loads) live.update((state) => ({ ...state, error: error as Error }))
    }
  }

  const onChange = (change: TenantChange): void => {
    if (change.type === 'ready') return void load()
    if (early) early.push(change)
    else live.update((state) => ({ ...applyChange(state, change), heardAt: Date.now() }))
  }

  const handle = connectChanges({
    ...options,
    onChange,
    onPhase: (phase, { error }) => {
      if (!isOver)
        live.update((state) => ({ ...state, phase, error: phase === 'open' ? state.error : (error ?? state.error) }))
    },
  })
  // A server that refuses the socket says why over HTTP: without a token, or with a wrong one, the page asks for one.
  void client.me().then(
    (me) => !isOver && live.update((state) => ({ ...state, me })),
    (error: unknown) => {
      if (!isOver && error instanceof FabricError && error.status === 401) live.update((state) => ({ ...state, error }))
    },
  )
  return () => {
    isOver = true
    handle.close()
  }
}
