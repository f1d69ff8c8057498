// The newest answers over all sessions, loaded again whenever an approval leaves the list.

import type { SettledApproval } from 'bridle/client'
import { deciderText } from 'bridle/words'
import { useEffect } from 'react'
import type { CardSettlement } from '../approval/card-approval.ts'
import { isDefaultApplied } from '../approval/question/question-words.ts'
import { useLive, useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'

/** Answers in the history: a screenful. */
const DECIDED_MAX = 30

export const useDecided = (): readonly SettledApproval[] => {
  const { client } = useServer()
  const open = useLive((state) => state.approvals)
  const { data, reload } = useLoaded('decided', () => client.approvals({ status: 'decided', limit: DECIDED_MAX }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the open ones may be an answer
  useEffect(() => reload(), [open, reload])
  return data?.approvals ?? none
}

const none: readonly SettledApproval[] = []

export const settlementOfRow = (row: SettledApproval): CardSettlement => ({
  decision: row.status,
  by: row.imported && row.decidedBy !== null ? `${row.decidedBy} (from an imported file)` : deciderText(row),
  at: row.decidedAt,
  isEdited: row.isEdited,
  ...(row.answers && { answers: row.answers }),
  ...(row.values && { values: row.values }),
  ...(isDefaultApplied(row, { ...row, decision: row.status })
    ? { isDefault: true, reason: null }
    : { reason: row.status === 'expired' ? null : row.decisionReason }),
})
