// A branch at the event that the page shows: a new session that begins there, with or without a first prompt.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useServer } from '../../server/server-context.tsx'
import { sessionPath } from '../../shell/paths.ts'
import { showError, showToast } from '../../ui/toast.tsx'
import { useSession } from '../session-context.tsx'
import { cursorText } from './log/cursor.ts'

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
  const { client } = useServer()
  const { id, agent, events } = useSession()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const branchAt = async (seq: number, { prompt, words }: BranchOptions = {}): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    try {
      const from = `ev-${cursorText({ seq, incarnation: events.incarnation })}`
      const made = await client.branch(id, { agent, from_event_id: from, ...(prompt !== undefined && { prompt }) })
      navigate(sessionPath({ id: made.id, agent }), { state: { writes: prompt === undefined } })
      const text = words ?? `This is the branch from event ${seq}. The session that it comes from stays as it is.`
      showToast({ text })
      return true
    } catch (error) {
      showError(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, branchAt }
}
