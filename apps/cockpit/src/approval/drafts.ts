// Drafts that somebody wrote on a card and did not send: they are there again after a look at another approval.
import type { ArgumentsDraft } from './argument-fields.ts'

/** Drafts that are kept while somebody looks at other approvals. */
const DRAFTS_MAX = 50

export interface Draft {
  /** The edited arguments; null = not edited. */
  readonly args: ArgumentsDraft | null
  readonly note: string
}

const drafts = new Map<string, Draft>()

export const readDraft = (key: string): Draft => drafts.get(key) ?? { args: null, note: '' }

export const keepDraft = (key: string, draft: Draft): void => {
  drafts.delete(key)
  if (draft.args === null && draft.note === '') return
  drafts.set(key, draft)
  if (drafts.size > DRAFTS_MAX) drafts.delete(drafts.keys().next().value ?? '')
}
