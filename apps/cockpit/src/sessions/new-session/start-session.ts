import type { OperatorClient } from 'bridle/client'
import { budgetPolicy } from './budgets.ts'

/** The fields of the dialog, as texts. */
export interface NewSessionForm {
  readonly agent: string
  readonly kind: 'chat' | 'background'
  readonly title: string
  readonly prompt: string
  readonly workspace: 'none' | 'read' | 'write'
  readonly costUsd: string
  readonly minutes: string
}

/** Makes the session and asks it the prompt; the answer comes by itself. */
export const startSession = async (
  client: OperatorClient,
  { agent, kind, title, prompt, workspace, costUsd, minutes }: NewSessionForm,
): Promise<{ readonly id: string; readonly agent: string }> => {
  const policy = budgetPolicy(costUsd, minutes)
  const fields = { agent, ...(title.trim() !== '' && { title: title.trim() }), ...(policy && { policy }) }
  if (kind === 'background') return client.startBackground({ ...fields, prompt, workspace_mode: workspace })
  const card = await client.createChat(fields)
  if (prompt.trim() !== '') await client.invoke(card.agent, card.id, { prompt }, { async: true })
  return card
}
