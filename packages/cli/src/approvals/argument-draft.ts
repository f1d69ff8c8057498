// The arguments of an approval while they are edited, shared by `run`, `approve --edit` and `chat`.
import type { FabricJsonObject } from '@bridle/client/fabric/request-options'
import { parseJsonObject } from '../runs/run-input.ts'
import { argumentChanges } from '../terminal/argument-diff.ts'
import { draftArguments, editArguments } from '../terminal/argument-editor.ts'

export interface ArgumentDraft {
  readonly original: unknown
  /** Null: approve the original arguments. */
  readonly edited: FabricJsonObject | null
  /** The editor's initial text, so that invalid JSON can be corrected instead of retyped. */
  readonly text: string
}

export interface DraftEdit {
  readonly draft: ArgumentDraft
  /** Why the edit changes nothing. Null if it does, or was withdrawn. */
  readonly remark: string | null
}

export const newDraft = (args: unknown): ArgumentDraft => {
  const original = args ?? {}
  return { original, edited: null, text: draftArguments(original) }
}

/** Opens the editor or a terminal prompt. Empty input keeps the text, and a withdrawn edit is silent. */
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
