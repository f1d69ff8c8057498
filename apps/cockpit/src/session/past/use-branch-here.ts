// A branch at the event that the page shows: a new session that begins there, with or without a first prompt.
import { useSession } from '../session-context.tsx'
import { eventIdAt, useOpenBranch } from '../use-open-branch.ts'

interface BranchHere {
  readonly isBusy: boolean
  /** True once the branch is open. */
  readonly branch: (prompt?: string) => Promise<boolean>
}

export const useBranchHere = (): BranchHere => {
  const { past } = useSession()
  const { isBusy, branchAt } = useBranchAt()
  return { isBusy, branch: async (prompt) => past !== null && branchAt(past.seq, { prompt }) }
}

interface BranchOptions {
  readonly prompt?: string | undefined
  /** The sentence about the branch, once it is open. */
  readonly words?: string
}

interface BranchAt {
  readonly isBusy: boolean
  /** True once the branch is open. */
  readonly branchAt: (seq: number, options?: BranchOptions) => Promise<boolean>
}

/** A branch at any event of the session. */
export const useBranchAt = (): BranchAt => {
  const { id, agent, events } = useSession()
  const { isBusy, branch } = useOpenBranch()
  const branchAt = async (seq: number, { prompt, words }: BranchOptions = {}): Promise<boolean> => {
    if (isBusy) return false
    const request = {
      agent,
      from_event_id: eventIdAt(seq, events.incarnation),
      ...(prompt !== undefined && { prompt }),
    }
    return branch(id, request, {
      words: words ?? `This is the branch from event ${seq}. The session that it comes from stays as it is.`,
      writes: prompt === undefined,
    })
  }
  return { isBusy, branchAt }
}
