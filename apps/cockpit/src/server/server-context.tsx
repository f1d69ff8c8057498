// The connection to the server for all pages: the client, who is signed in, and the live lists.
import { type FabricClient, type FabricClientOptions, fabricClient } from 'bridle/client'
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { confirmingClient } from '../imported/confirmation.ts'
import { serverUrl } from './address.ts'
import { readCredential } from './credential.ts'
import { followChanges } from './follow-changes.ts'
import { type LiveState, LiveStore } from './live-store.ts'

interface Server {
  readonly client: FabricClient
  readonly options: FabricClientOptions
  readonly live: LiveStore
}

/** The page of a file has a server of its own: the file. */
export const ServerContext = createContext<Server | null>(null)

export const ServerProvider = ({ children }: { readonly children: ReactNode }) => {
  // Another credential is another page: `changeCredential`.
  const [server] = useState(() => {
    const options = { url: serverUrl, ...readCredential() }
    return { client: confirmingClient(fabricClient(options)), options, live: new LiveStore() }
  })
  useEffect(() => followChanges(server), [server])
  return <ServerContext value={server}>{children}</ServerContext>
}

export const useServer = (): Server => {
  const server = use(ServerContext)
  if (!server) throw new Error('ServerProvider is missing.')
  return server
}

/** A part of the live lists. The selector returns parts of the state as they are, so that nothing renders without need. */
export const useLive = <T,>(select: (state: LiveState) => T): T => {
  const { live } = useServer()
  return useSyncExternalStore(live.subscribe, () => select(live.getSnapshot()))
}
