// The sessions and open approvals of the tenant, as every page shows them. Lists load once and again after each gap; between
// gaps the stream of changes keeps them current, so nothing polls.
import type {
  CallerIdentity,
  ChangesPhase,
  FabricClient,
  PendingApproval,
  SessionRow,
  TenantChange,
} from 'bridle/client'

/** Rows of each live list: a screen shows thirty, and the pages of lists load more by themselves. */
const LIST_ROWS = 100
/** Pages of open approvals that are read for their number: beyond a thousand the page says "1000+". */
const APPROVAL_PAGES_MAX = 10

export interface LiveState {
  readonly phase: ChangesPhase
  /** False until the first lists are there. */
  readonly isLoaded: boolean
  /** The caller as the server knows it; null until the server has said so. */
  readonly me: CallerIdentity | null
  /** Newest change first, without the archived ones. */
  readonly sessions: readonly SessionRow[]
  /** True where the server has more sessions than the page loaded. */
  readonly hasMore: boolean
  /** Oldest request first. */
  readonly approvals: readonly PendingApproval[]
  /** True where more approvals wait than the page has. */
  readonly hasMoreApprovals: boolean
  /** The reason why the lists could not be loaded. */
  readonly error: Error | null
  /** The time of the last message of the server, in ms since 1970. */
  readonly heardAt: number
}

export const emptyLiveState: LiveState = {
  phase: 'connecting',
  isLoaded: false,
  me: null,
  sessions: [],
  hasMore: false,
  approvals: [],
  hasMoreApprovals: false,
  error: null,
  heardAt: 0,
}

export const isSameSession = (row: SessionRow, id: string, agent: string): boolean =>
  row.id === id && row.agent === agent

/** The approval is settled, as this page knows before the server says so. */
export const withoutApproval = (state: LiveState, settled: ApprovalName): LiveState => ({
  ...state,
  approvals: state.approvals.filter((other) => !isSameApproval(other, settled)),
})

/** A change folded into the lists. */
export const applyChange = (state: LiveState, change: TenantChange): LiveState => {
  switch (change.type) {
    case 'ready':
      return state
    case 'session': {
      const { session } = change
      const rest = state.sessions.filter((row) => !isSameSession(row, session.id, session.agent))
      const sessions = [...(session.archived ? [] : [session]), ...rest].sort((one, other) =>
        compareText(other.updatedAt, one.updatedAt),
      )
      return { ...state, sessions }
    }
    case 'session_removed':
      return {
        ...state,
        sessions: state.sessions.filter((row) => !isSameSession(row, change.session_id, change.agent)),
        approvals: state.approvals.filter(
          ({ sessionId, agent }) => sessionId !== change.session_id || agent !== change.agent,
        ),
      }
    case 'approval': {
      const { approval } = change
      const rest = state.approvals.filter((other) => !isSameApproval(other, approval))
      const approvals = [...rest, approval].sort((one, other) => compareText(one.requestedAt, other.requestedAt))
      return { ...state, approvals }
    }
    case 'approval_closed':
      return withoutApproval(state, { id: change.id, sessionId: change.session_id, agent: change.agent })
  }
}

/** Times in ISO 8601 sort as text. */
const compareText = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** An approval's id is unique in its session, and a session's id with its agent. */
type ApprovalName = Pick<PendingApproval, 'id' | 'sessionId' | 'agent'>

const isSameApproval = (one: ApprovalName, other: ApprovalName): boolean =>
  one.id === other.id && one.sessionId === other.sessionId && one.agent === other.agent

/** How many approvals wait: `7`, or `1000+` where there are more than the page has. */
export const waitingText = ({ approvals, hasMoreApprovals }: LiveState): string =>
  approvals.length === 0 ? '' : `${approvals.length}${hasMoreApprovals ? '+' : ''}`

/** Loads both lists: the first page of sessions, for a screen shows no more, and all approvals, for every page shows their number. */
export const loadLists = async (
  client: Pick<FabricClient, 'sessions' | 'approvals'>,
): Promise<Pick<LiveState, 'sessions' | 'approvals' | 'hasMore' | 'hasMoreApprovals'>> => {
  const [page, inbox] = await Promise.all([client.sessions({ limit: LIST_ROWS }), loadApprovals(client)])
  return { sessions: page.sessions, hasMore: page.next !== undefined, ...inbox }
}

const loadApprovals = async (
  client: Pick<FabricClient, 'approvals'>,
): Promise<Pick<LiveState, 'approvals' | 'hasMoreApprovals'>> => {
  const found = new Map<string, PendingApproval>()
  let cursor: string | undefined
  for (let page = 0; page < APPROVAL_PAGES_MAX; page += 1) {
    const { approvals, next } = await client.approvals({ limit: LIST_ROWS, ...(cursor !== undefined && { cursor }) })
    for (const each of approvals) found.set(JSON.stringify([each.agent, each.sessionId, each.id]), each)
    cursor = next
    if (next === undefined) break
  }
  return { approvals: [...found.values()], hasMoreApprovals: cursor !== undefined }
}

/** A store that React can subscribe to. */
export class LiveStore {
  #state = emptyLiveState
  readonly #listeners = new Set<() => void>()

  readonly getSnapshot = (): LiveState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly update = (change: (state: LiveState) => LiveState): void => {
    const next = change(this.#state)
    if (next === this.#state) return
    this.#state = next
    for (const listener of this.#listeners) listener()
  }
}
