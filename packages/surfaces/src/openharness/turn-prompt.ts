// The prompt is the request's intent, or else the names of its files or of the procedure it starts.

import type { JsonObject } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { openTextQuestion } from '@bridle/kernel/rules/approvals/typed-answers'
import type { Session } from '@bridle/kernel/session/session'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import type { KeptFields } from './agent-input.ts'

export interface TurnPrompt {
  readonly text: string
  /** `join`: do not start a procedure that is already running. */
  readonly only?: 'join'
}

/** Null if there is nothing to say. `session` is null if it does not exist yet. */
export const turnPrompt = (
  { request }: RequestMessage,
  { prompt, attachments }: KeptFields,
  agent: Pick<AgentInfo, 'name' | 'isProcedure'>,
  session: Session | null,
): TurnPrompt | null => {
  const { sop_id: procedure, plugin_id: plugin } = request.context?.task_hint ?? {}
  const isStart = procedure === agent.name || (plugin === agent.name && agent.isProcedure === true)
  const files = attachments.map(nameOf).join(', ')
  if (prompt.trim() === '' && isStart) return { text: files || agent.name, only: 'join' }
  if (prompt.trim() === '') return files === '' ? null : { text: files }
  const isAnswer = session !== null && openTextQuestion(session.state) !== null
  return { text: prompt, ...(isStart && agent.isProcedure && !isAnswer && { only: 'join' as const }) }
}

const nameOf = ({ filename, ref_id, asset_id, uri }: JsonObject): string =>
  String([filename, ref_id, asset_id, uri].find((each) => typeof each === 'string' && each.trim() !== '') ?? 'file')

/** False for feedback only. A hint alone does not count, because shells send it with every request. */
export const hasPrompt = ({ request }: RequestMessage): boolean => {
  const { user_intent, attachments = [], continuation = {} } = request.context ?? {}
  const { continuation_token: token, run_id: runId, sop_id: procedure } = continuation
  return Boolean(user_intent || attachments.length > 0 || token || runId || procedure)
}
