// How a turn of Claude Code ended, by its last message.

import type { TurnEnd } from '../engine.ts'
import type { SdkMessage } from './sdk-messages.ts'

/** Null = the engine continues with another turn. `is_error` decides: failures of the API have the subtype "success" too. */
export const turnEnd = (message: SdkMessage): TurnEnd | null => {
  const said = message as unknown as SdkResultMessage
  const text = (said.result ?? said.errors?.join('\n') ?? '').replace(GATEWAY_ADVICE, '')
  if (said.terminal_reason === 'aborted_streaming' || said.terminal_reason === 'aborted_tools')
    return { kind: 'interrupted' }
  if (!said.is_error && said.subtype === 'success')
    return (said.queued_turn_count ?? 0) > 0 ? null : { kind: 'completed', ...(text !== '' && { result: text }) }
  if (said.subtype === 'error_max_budget_usd')
    return { kind: 'failed', message: 'The budget of the run is spent.', reason: 'budget' }
  if (said.subtype === 'error_max_turns')
    return { kind: 'failed', message: 'The run took as many steps as it may.', reason: 'max_turns' }
  if (said.terminal_reason === 'prompt_too_long')
    return { kind: 'failed', message: 'The conversation is too long for the model.', reason: 'prompt_too_long' }
  const status = said.api_error_status ?? null
  const failed = { kind: 'failed' as const, message: text || 'The engine failed without a reason.' }
  if (status === null) return { ...failed, reason: 'engine' }
  if (status === 402) return { ...failed, reason: 'budget' }
  if (status === 401 || status === 403) return { ...failed, reason: 'key_refused' }
  if (status === 404) return { ...failed, reason: 'model_unknown' }
  return { ...failed, reason: 'provider', ...((status === 429 || status >= 500) && { transient: true }) }
}

/** The engine takes the server's proxy for a gateway of the person, who has never heard of its address. */
const GATEWAY_ADVICE = / If it persists, check your inference gateway \([^)]*\)\.?/

interface SdkResultMessage {
  readonly subtype?: string
  readonly is_error?: boolean
  readonly result?: string
  readonly errors?: readonly string[]
  readonly terminal_reason?: string
  readonly api_error_status?: number | null
  readonly queued_turn_count?: number
}
