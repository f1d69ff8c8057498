// Unsent drafts of cards, kept while another approval or page is open.
import type { ArgumentsDraft } from './argument-fields.ts'
import type { RequestDraft } from './question/request-draft.ts'

/** Drafts that are kept while somebody looks at other approvals. */
const DRAFTS_MAX = 50

export interface Draft {
  /** The edited arguments; null = not edited. */
  readonly args: ArgumentsDraft | null
  readonly note: string
}

interface Drafts<D> {
  readonly read: (key: string) => D | undefined
  /** Null forgets the draft. */
  readonly keep: (key: string, draft: D | null) => void
}

const keptDrafts = <D>(): Drafts<D> => {
  const drafts = new Map<string, D>()
  return {
    read: (key) => drafts.get(key),
    keep: (key, draft) => {
      drafts.delete(key)
      if (draft === null) return
      drafts.set(key, draft)
      if (drafts.size > DRAFTS_MAX) drafts.delete(drafts.keys().next().value ?? '')
    },
  }
}

export const argumentDrafts = keptDrafts<Draft>()
export const questionDrafts = keptDrafts<RequestDraft>()
