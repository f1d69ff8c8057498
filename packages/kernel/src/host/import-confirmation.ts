// The confirmation of whoever replays or branches an imported session: its prompts were written elsewhere, and in the new session the
// agent may get a folder to work in. So the caller repeats a digest of the prompts, which the session's detail shows with them.

import { canonicalJson, type Json } from '@bridle/events/json'
import { type BranchCommand, type Refusal, refuse } from '../commands.ts'
import type { Digest } from '../ports/digest.ts'
import type { SessionState } from '../projections/state.ts'
import type { Session } from '../session/session.ts'

/** A prompt of an imported session, in full. */
export interface ImportedPrompt {
  /** The id of its message. */
  readonly message_id: string
  /** The text. */
  readonly text: string
  /** Input that was sent with the text. */
  readonly input?: Json
}

/** The prompts of an imported session, and the digest that confirms them. */
export interface ImportedPrompts {
  readonly prompts: readonly ImportedPrompt[]
  readonly prompts_digest: string
}

/** Null if the session was not imported. A branch of an imported session is a session of its own. */
export const importedPrompts = async (state: SessionState, digest: Digest): Promise<ImportedPrompts | null> => {
  if (state.lifecycle.importedSeq === null) return null
  const prompts = userPrompts(state)
  const told = prompts.map(({ text, input }) => ({ text, ...(input !== undefined && { input }) }))
  return { prompts, prompts_digest: `sha256:${await digest(canonicalJson(told))}` }
}

/** Refuses a branch of an imported session that nobody has confirmed. `atPoint` is the state of the session at the branch point. */
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
  // An edit may have taken the prompt back, so that it is not among those that were confirmed.
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
