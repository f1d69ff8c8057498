// How a call stands, as the session tells it: an outcome is never guessed from the text of a result.
import type { HarnessToolCall } from 'bridle/client'
import type { IconName } from '../../../ui/icon-names.ts'

export type ToolState =
  | 'running'
  | 'waiting'
  | 'ok'
  | 'timeout'
  | 'error'
  | 'denied'
  | 'artifact'
  | 'superseded'
  | 'cancelled'

interface ToolLook {
  readonly word: string
  readonly icon: IconName
  readonly tone: string
}

export const toolLooks: { readonly [state in ToolState]: ToolLook } = {
  running: { word: 'running', icon: 'loader-circle', tone: 'running' },
  waiting: { word: 'waiting', icon: 'shield-alert', tone: 'needs' },
  ok: { word: 'ok', icon: 'circle-check', tone: 'done' },
  timeout: { word: 'timed out', icon: 'timer-off', tone: 'late' },
  error: { word: 'error', icon: 'circle-x', tone: 'failed' },
  denied: { word: 'denied', icon: 'ban', tone: 'failed' },
  artifact: { word: 'artifact', icon: 'package', tone: 'done' },
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
