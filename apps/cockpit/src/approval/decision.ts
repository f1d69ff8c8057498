// The answer of this page to an approval: on its way, given, refused because somebody was faster, or lost with the connection.
import { FabricError, type GivenAnswer } from 'bridle/client'
import { deciderText } from 'bridle/words'
import { useRef, useState } from 'react'
import { useServer } from '../server/server-context.tsx'
import type { CardApproval, CardSession, CardSettlement, JsonRecord } from './card-approval.ts'
import { isDefaultApplied } from './question/question-words.ts'

export interface Answer {
  readonly decision: 'approved' | 'denied'
  /** Other arguments than those asked for. */
  readonly args?: JsonRecord
  /** The answer to a question. */
  readonly given?: GivenAnswer
  readonly note?: string
  /** The session pauses after the call. */
  readonly isPausing?: boolean
}

export type DecisionState =
  | { readonly type: 'open'; readonly problem: string | null }
  | { readonly type: 'sending'; readonly answer: Answer }
  | { readonly type: 'given'; readonly settlement: CardSettlement }
  /** Another answer stands: this page's was not taken. */
  | { readonly type: 'late'; readonly settlement: CardSettlement }

export interface Decision {
  readonly state: DecisionState
  readonly send: (answer: Answer) => Promise<void>
}

export const useDecision = (
  approval: CardApproval,
  session: CardSession,
  onDecided: ((settlement: CardSettlement) => void) | undefined,
): Decision => {
  const { client } = useServer()
  const [state, setState] = useState<DecisionState>({ type: 'open', problem: null })
  // State lags behind a second click in the same moment; a reference does not.
  const isBusy = useRef(false)

  const send = async (answer: Answer): Promise<void> => {
    if (isBusy.current || state.type !== 'open') return
    isBusy.current = true
    setState({ type: 'sending', answer })
    const { decision, args, given, note, isPausing } = answer
    const options = {
      agent: session.agent,
      ...(note && { reason: note }),
      ...(args && { args }),
      ...(isPausing && { pause: true }),
    }
    try {
      if (given) await client.answer(session.id, approval.id, { ...options, ...given })
      else await (decision === 'approved' ? client.approve : client.reject)(session.id, approval.id, options)
      const settlement: CardSettlement = {
        decision,
        by: 'You',
        at: new Date().toISOString(),
        isEdited: args !== undefined,
        reason: note ?? null,
        ...given,
      }
      setState({ type: 'given', settlement })
      onDecided?.(settlement)
    } catch (error) {
      isBusy.current = false
      const settlement = settlementOf(error, approval)
      if (settlement) return setState({ type: 'late', settlement })
      setState({ type: 'open', problem: problemText(error) })
    }
  }
  return { state, send }
}

/** The answer that stands, where the server refuses another one. */
const settlementOf = (error: unknown, approval: CardApproval): CardSettlement | null => {
  if (!(error instanceof FabricError)) return null
  if (error.status === 404) return { decision: 'closed', by: null, at: null }
  const { settledApproval } = error
  if (!settledApproval) return null
  const { decision, decidedAt } = settledApproval
  const isDefault = isDefaultApplied(approval, settledApproval)
  return { decision, by: deciderText(settledApproval), at: decidedAt, isDefault }
}

const problemText = (error: unknown): string => {
  if (error instanceof FabricError && error.status === 0)
    return 'The server did not answer, so it may not have your answer. Once it is back, this card shows how the approval stands.'
  return error instanceof Error ? error.message : String(error)
}
