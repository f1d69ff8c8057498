import type { FabricClient } from 'bridle/client'
import { budgetPolicy } from './budgets.ts'
import { type FilesChoice, workspaceRequest } from './files-choice.ts'
import type { ModelChoice } from './model-fields.tsx'

/** The fields of the dialog, as texts. */
export interface NewSessionForm {
  readonly agent: string
  readonly kind: 'chat' | 'background'
  readonly title: string
  readonly prompt: string
  readonly files: FilesChoice
  readonly choice: ModelChoice
  readonly costUsd: string
  readonly minutes: string
}

/** Makes the session and asks it the prompt; the answer comes by itself. */
export const startSession = async (
  client: FabricClient,
  { agent, kind, title, prompt, files, choice, costUsd, minutes }: NewSessionForm,
): Promise<{ readonly id: string; readonly agent: string }> => {
  const policy = budgetPolicy(costUsd, minutes)
  const workspace = workspaceRequest(files)
  const fields = {
    agent,
    ...(title.trim() !== '' && { title: title.trim() }),
    ...(choice.model !== '' && { model: choice.model }),
    ...(choice.effort !== '' && { think_level: choice.effort }),
    ...(policy && { policy }),
    ...(workspace && { workspace }),
  }
  if (kind === 'background') return client.startBackground({ ...fields, prompt })
  const card = await client.createChat(fields)
  if (prompt.trim() !== '') await client.invoke(card.agent, card.id, { prompt }, { async: true })
  return card
}
