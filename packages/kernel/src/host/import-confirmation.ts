// Imported prompts were written elsewhere, so a branch or replay requires the caller to repeat their digest.

import { canonicalJson, type Json } from '@bridle/events/json'
import { type BranchCommand, type Refusal, refuse } from '../commands.ts'
import type { Digest } from '../ports/digest.ts'
import type { SessionState } from '../projections/state.ts'
import type { Session } from '../session/session.ts'

/** A prompt of an imported session. */
export interface ImportedPrompt {
  /** The id of its message. */
  readonly message_id: string
  /** The text. */
  readonly text: string
  /** Input sent with the text. */
  readonly input?: Json
}

export interface ImportedPrompts {
  readonly prompts: readonly ImportedPrompt[]
  readonly prompts_digest: string
}

/** Null if the session was not imported. Branches of imported sessions are not. */
export const importedPrompts = async (state: SessionState, digest: Digest): Promise<ImportedPrompts | null> => {
  if (state.lifecycle.importedSeq === null) return null
  const prompts = userPrompts(state)
  const told = prompts.map(({ text, input }) => ({ text, ...(input !== undefined && { input }) }))
  return { prompts, prompts_digest: `sha256:${await digest(canonicalJson(told))}` }
}

export const confirmationRefusal = async (
  source: Session,
  atPoint: SessionState,
  { prompt, promptsDigest }: Pick<BranchCommand, 'prompt'> & { readonly promptsDigest?: string },
  digest: Digest,
): Promise<Refusal | null> => {
  const imported = await importedPrompts(source.state, digest)
  if (!imported) return null
  if (promptsDigest !== imported.prompts_digest) return refuse('confirm_import')
  if (prompt !== null) return null
  // An edit may have removed the prompt, so that it was not part of the confirmation.
  const last = userPrompts(atPoint).at(-1)
  const isConfirmed =
    !last || imported.prompts.some((each) => canonicalJson({ ...each }) === canonicalJson({ ...last }))
  return isConfirmed ? null : refuse('confirm_import', TAKEN_BACK)
}

const TAKEN_BACK =
  'The prompt before that event was taken back later, so it is not among the prompts of the imported session. Send it as `prompt`.'

const userPrompts = ({ conversation }: SessionState): readonly ImportedPrompt[] =>
  conversation.messages.flatMap(({ role, id, content, input }) =>
    role === 'user' ? [{ message_id: id, text: content, ...(input !== undefined && { input }) }] : [],
  )
