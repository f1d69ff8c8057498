// Keeps the live lists current while a page is open, and says who the caller is.
import { connectChanges, type FabricClient, type FabricClientOptions, FabricError } from 'bridle/client'
import { followLists } from './follow-lists.ts'
import type { LiveStore } from './live-store.ts'

interface FollowedServer {
  readonly client: FabricClient
  readonly options: FabricClientOptions
  readonly live: LiveStore
}

export const followChanges = ({ client, options, live }: FollowedServer): (() => void) => {
  let isOver = false
  const lists = followLists(client, live)
  const handle = connectChanges({
    ...options,
    onChange: lists.onChange,
    onPhase: (phase, { error }) => {
      if (!isOver)
        live.update((state) => ({ ...state, phase, error: phase === 'open' ? state.error : (error ?? state.error) }))
    },
  })
  // A server that refuses the socket says why over HTTP: without a token, or with a wrong one, the page asks for one.
  void client.me().then(
    (me) => !isOver && live.update((state) => ({ ...state, me })),
    (error: unknown) => {
      if (!isOver && isRefusal(error)) live.update((state) => ({ ...state, error }))
    },
  )
  return () => {
    isOver = true
    lists.close()
    handle.close()
  }
}

/**
 * True where the server asks for a credential, or for another one: this token or this tenant is not let in. The lists ask with
 * nothing that a server could find fault with but the tenant, so a bad request is about that.
 */
export const isRefusal = (error: unknown): error is FabricError =>
  error instanceof FabricError && [400, 401, 403].includes(error.status)
