// How a call stands, as the session tells it: an outcome is never guessed from the text of a result.
import type { HarnessToolCall } from 'bridle/client'
import type { CallStatus } from '../../inspector/timeline/call.ts'
import { type CallLook, callLooks } from '../../inspector/timeline/call-look.ts'

export type ToolState = Exclude<CallStatus, 'none'> | 'superseded' | 'cancelled'

export const toolLooks: { readonly [state in ToolState]: Omit<CallLook, 'bar'> } = {
  ...callLooks,
  superseded: { word: 'superseded', icon: 'rotate-cw', tone: '' },
  cancelled: { word: 'cancelled', icon: 'ban', tone: '' },
}

/** `isOver`: the answer that made the call has ended, so nothing of it can still run or wait. */
export const toolStateOf = (call: HarnessToolCall, isOver: boolean): ToolState => {
  if (call.superseded) return 'superseded'
  // The call never began: its approval ended with the run, or stayed with the session that was branched.
  if (call.approval?.status === 'cancelled' && call.status === 'error') return 'cancelled'
  if (call.outcome) return call.outcome
  if (call.approval?.status === 'denied' || call.approval?.status === 'expired') return 'denied'
  if (call.status === 'complete') return 'ok'
  if (call.status === 'error') return 'error'
  if (isOver) return 'cancelled'
  return call.approval?.status === 'pending' ? 'waiting' : 'running'
}
