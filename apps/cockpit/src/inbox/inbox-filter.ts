// Which approvals the inbox shows, and which one comes next. All of it is in the address.
import type { PendingApproval } from 'bridle/client'

/** Less time than this until it expires counts as expiring in the filter: long enough to answer several in a row. */
const EXPIRING_SOON_MS = 5 * 60_000

export const SHOWS = ['all', 'expiring', 'questions', 'budgets'] as const
export type Show = (typeof SHOWS)[number]

export interface InboxQuery {
  readonly show: Show
  /** Only approvals of this agent; null = of all. */
  readonly agent: string | null
  readonly selected: Selection | null
}

export interface Selection {
  readonly id: string
  /** Null = the first session that has an approval of this id. */
  readonly sessionId: string | null
  readonly agent: string | null
}

export const parseInboxQuery = (query: URLSearchParams): InboxQuery => {
  const id = query.get('a')
  return {
    show: SHOWS.find((show) => show === query.get('show')) ?? 'all',
    agent: query.get('only'),
    selected: id === null ? null : { id, sessionId: query.get('s'), agent: query.get('agent') },
  }
}

export const encodeInboxQuery = ({ show, agent, selected }: InboxQuery): string => {
  const query = new URLSearchParams()
  if (show !== 'all') query.set('show', show)
  if (agent !== null) query.set('only', agent)
  if (selected) {
    query.set('a', selected.id)
    if (selected.sessionId !== null) query.set('s', selected.sessionId)
    if (selected.agent !== null) query.set('agent', selected.agent)
  }
  return query.size === 0 ? '/inbox' : `/inbox?${query}`
}

type Listed = Pick<PendingApproval, 'id' | 'sessionId' | 'agent' | 'kind' | 'expiresAt'>

export const filterApprovals = <A extends Listed>(
  approvals: readonly A[],
  { show, agent }: Pick<InboxQuery, 'show' | 'agent'>,
  now: number,
): A[] => approvals.filter((approval) => (agent === null || approval.agent === agent) && isShown[show](approval, now))

const isShown: { readonly [S in Show]: (approval: Listed, now: number) => boolean } = {
  all: () => true,
  expiring: ({ expiresAt }, now) => expiresAt !== null && Date.parse(expiresAt) - now < EXPIRING_SOON_MS,
  questions: ({ kind }) => kind === 'question',
  budgets: ({ kind }) => kind === 'budget',
}

export const selectionOf = ({ id, sessionId, agent }: Pick<Listed, 'id' | 'sessionId' | 'agent'>): Selection => ({
  id,
  sessionId,
  agent,
})

export const isSelected = (
  approval: Pick<Listed, 'id' | 'sessionId' | 'agent'>,
  selection: Selection | null,
): boolean =>
  selection !== null &&
  approval.id === selection.id &&
  (selection.sessionId === null || approval.sessionId === selection.sessionId) &&
  (selection.agent === null || approval.agent === selection.agent)

/**
 * The approval to show after this one: the next in the list, or the one before the last. `place` is where it was, for one that has
 * left the list already.
 */
export const nextAfter = <A extends Listed>(approvals: readonly A[], selection: Selection, place: number): A | null => {
  const at = approvals.findIndex((approval) => isSelected(approval, selection))
  return (at === -1 ? (approvals[place] ?? approvals.at(-1)) : (approvals[at + 1] ?? approvals[at - 1])) ?? null
}

/** The neighbour in the list, which ends at its ends. */
export const neighbourOf = <A extends Listed>(
  approvals: readonly A[],
  selection: Selection | null,
  step: 1 | -1,
): A | null => {
  const at = approvals.findIndex((approval) => isSelected(approval, selection))
  if (at === -1) return approvals[0] ?? null
  return approvals[Math.max(0, Math.min(approvals.length - 1, at + step))] ?? null
}
