// The approvals that a server finds open when it starts: what asked for them was printed in another terminal, or days ago.
import { type FabricClient, fabricClient, type PendingApproval } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { readLocalServer } from '@bridle/server/node/credentials/local-token'
import type { ServerSettings } from '../config/settings.ts'

export interface WaitingApprovals {
  /** Oldest first: the first page of them. */
  readonly approvals: readonly PendingApproval[]
  readonly hasMore: boolean
}

type TokenSettings = Pick<ServerSettings, 'data' | 'authToken' | 'tokens' | 'keepToken'>

/** A client of the server that this process has started, with a token of its settings. */
export const ownServerClient = (
  url: string,
  { data, authToken, tokens = [], keepToken = false }: TokenSettings,
): FabricClient => {
  const token = authToken ?? (keepToken ? readLocalServer(data)?.token : undefined) ?? tokens[0]?.token
  return fabricClient({ url, ...present({ authToken: token }) })
}

/** Asks the server that has just started. A server that refuses has none to name here. */
export const waitingApprovals = async (url: string, settings: TokenSettings): Promise<WaitingApprovals> => {
  const page = await ownServerClient(url, settings)
    .approvals()
    .catch(() => null)
  return { approvals: page?.approvals ?? [], hasMore: page?.next !== undefined }
}
