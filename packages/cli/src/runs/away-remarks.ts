import type { FabricError } from '@bridle/client/http/error'

export interface AwayRemarks {
  readonly onRetry: (cause: FabricError) => void
  readonly onOpen: () => void
}

/** Each remark appears once. A closed stream is not reported, because the retry shows whether the server or session is gone. */
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
