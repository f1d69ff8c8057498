// Every branch that this app begins ends here: its page opens, and a sentence says what it is.
import { useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { showError, showToast } from '../ui/toast.tsx'
import { cursorText } from './past/log/cursor.ts'

type BranchRequest = Parameters<ReturnType<typeof useServer>['client']['branch']>[1]

interface OpenOptions {
  /** The sentence about the branch, once it is open. */
  readonly words?: string
  /** The branch waits for a prompt: the field for it gets the focus. */
  readonly writes?: boolean
  /** Shows why there is no branch; default: a toast. */
  readonly onError?: (error: unknown) => void
}

interface BranchOpener {
  readonly isBusy: boolean
  /** True once the branch is open. */
  readonly open: (make: () => Promise<string>, agent: string, options?: OpenOptions) => Promise<boolean>
  /** The same for a request to the server. */
  readonly branch: (
    id: string,
    request: BranchRequest & { readonly agent: string },
    options?: OpenOptions,
  ) => Promise<boolean>
}

export const useOpenBranch = (): BranchOpener => {
  const { client } = useServer()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const open = useCallback<BranchOpener['open']>(
    async (make, agent, { words = WORDS, writes = true, onError = showError } = {}) => {
      setBusy(true)
      try {
        const id = await make()
        navigate(sessionPath({ id, agent }), { state: { writes } })
        showToast({ text: words })
        return true
      } catch (error) {
        onError(error)
        return false
      } finally {
        setBusy(false)
      }
    },
    [navigate],
  )
  const branch = useCallback<BranchOpener['branch']>(
    (id, request, options) => open(async () => (await client.branch(id, request)).id, request.agent, options),
    [client, open],
  )
  return { isBusy, open, branch }
}

/** An event as a request names it. The number alone would name an event of the first log of the id. */
export const eventIdAt = (seq: number, incarnation: number): string => `ev-${cursorText({ seq, incarnation })}`

const WORDS = 'This is the branch: say what it should do. The session that it comes from stays as it is.'
