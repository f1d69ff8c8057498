// Remarks about a server that goes away and comes back, for verbs that go on.
import type { FabricError } from '@bridle/client/http/error'

export interface AwayRemarks {
  readonly onRetry: (cause: FabricError) => void
  readonly onOpen: () => void
}

/** Each remark is made once. A stream that the server closes is no news: the next try says whether the server or the session is gone. */
export const awayRemarks = (remark: (text: string) => void): AwayRemarks => {
  let isAway = false
  return {
    onRetry: ({ type }) => {
      if (isAway || type === 'closed') return
      remark('The server is away; waiting for it.')
      isAway = true
    },
    onOpen: () => {
      if (isAway) remark('It is back.')
      isAway = false
    },
  }
}
