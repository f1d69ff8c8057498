// Open approvals at server start, whose prompts were printed elsewhere or days ago.
import { type FabricClient, fabricClient, type PendingApproval } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { readLocalServer } from '@bridle/server/node/credentials/local-token'
import type { ServerSettings } from '../config/settings.ts'

export interface WaitingApprovals {
  /** The first page, oldest first. */
  readonly approvals: readonly PendingApproval[]
  readonly hasMore: boolean
}

type TokenSettings = Pick<ServerSettings, 'data' | 'authToken' | 'tokens' | 'keepToken'>

export const ownServerClient = (
  url: string,
  { data, authToken, tokens = [], keepToken = false }: TokenSettings,
): FabricClient => {
  const token = authToken ?? (keepToken ? readLocalServer(data)?.token : undefined) ?? tokens[0]?.token
  return fabricClient({ url, ...present({ authToken: token }) })
}

/** Empty if the server refuses. */
export const waitingApprovals = async (url: string, settings: TokenSettings): Promise<WaitingApprovals> => {
  const page = await ownServerClient(url, settings)
    .approvals()
    .catch(() => null)
  return { approvals: page?.approvals ?? [], hasMore: page?.next !== undefined }
}
