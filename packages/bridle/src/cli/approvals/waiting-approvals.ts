// The approvals that a server finds open when it starts: what asked for them was printed in another terminal, or days ago.
import { operatorClient, type PendingApproval } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { readLocalServer } from '../../targets/node/credentials/local-token.ts'
import type { ServerSettings } from '../config/settings.ts'

export interface WaitingApprovals {
  /** Oldest first: the first page of them. */
  readonly approvals: readonly PendingApproval[]
  /** The server has further pages. */
  readonly hasMore: boolean
}

/** Asks the server that has just started, with a token of its settings. A server that refuses has none to name here. */
export const waitingApprovals = async (
  url: string,
  {
    data,
    authToken,
    tokens = [],
    keepToken = false,
  }: Pick<ServerSettings, 'data' | 'authToken' | 'tokens' | 'keepToken'>,
): Promise<WaitingApprovals> => {
  const token = authToken ?? (keepToken ? readLocalServer(data)?.token : undefined) ?? tokens[0]?.token
  const page = await operatorClient({ url, ...present({ authToken: token }) })
    .approvals()
    .catch(() => null)
  return { approvals: page?.approvals ?? [], hasMore: page?.next !== undefined }
}
