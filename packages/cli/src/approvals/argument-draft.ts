// The arguments of an approval while a person edits them. `run`, `approve --edit` and `chat` edit in the same way.
import type { FabricJsonObject } from '@bridle/client/fabric/request-options'
import { parseJsonObject } from '../runs/run-input.ts'
import { argumentChanges } from '../terminal/argument-diff.ts'
import { draftArguments, editArguments } from '../terminal/argument-editor.ts'

export interface ArgumentDraft {
  readonly original: unknown
  /** The arguments to approve instead; null = those that were asked for. */
  readonly edited: FabricJsonObject | null
  /** The text that the editor begins with: a person mends a text that is no JSON, and does not type it again. */
  readonly text: string
}

export interface DraftEdit {
  readonly draft: ArgumentDraft
  /** For the person: why the edit changes nothing; null = it changes something, or was withdrawn. */
  readonly remark: string | null
}

export const newDraft = (args: unknown): ArgumentDraft => {
  const original = args ?? {}
  return { original, edited: null, text: draftArguments(original) }
}

/** Opens the editor, or a line of the terminal. Nothing entered leaves the text as it was; of a withdrawn edit nothing is said. */
export const editDraft = async (
  draft: ArgumentDraft,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DraftEdit> => {
  const text = await editArguments(draft.text, env, signal)
  return signal.aborted ? { draft, remark: null } : withText(draft, text ?? draft.text)
}

export const withText = (draft: ArgumentDraft, text: string): DraftEdit => {
  try {
    const args = parseJsonObject('The text', text) as FabricJsonObject
    const isSame = argumentChanges(draft.original, args).length === 0
    return { draft: { ...draft, text, edited: isSame ? null : args }, remark: isSame ? 'Nothing is changed.' : null }
  } catch (error) {
    return { draft: { ...draft, text }, remark: `${(error as Error).message} Edit it again with e.` }
  }
}
