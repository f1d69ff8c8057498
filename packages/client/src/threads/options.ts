import type { FabricClientOptions } from '../fabric/requests.ts'
import type { FabricError } from '../http/error.ts'
import type { ChangesOptions } from '../operator/changes.ts'

/** Options of `threads`. */
export interface ThreadsOptions extends FabricClientOptions {
  /** Lists only threads with this agent, and uses it for new ones. Default: all agents, and the server's default agent. */
  readonly agent?: string
  /** The initially selected thread. Default: none. */
  readonly current?: string | null
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: ChangesOptions['WebSocket']
  /** Whether to follow changes from elsewhere over a socket. Default: true. */
  readonly live?: boolean
}

/** A conversation in a list. */
export interface Thread {
  /** The session id. */
  readonly id: string
  /** The agent's name. */
  readonly agent: string
  /** The title, otherwise the start of the first prompt. Empty before the first prompt. */
  readonly title: string
  /** The session status. */
  readonly status: string
  /** Time of the last change, in ISO 8601. */
  readonly updatedAt: string
  /** Number of open approvals. */
  readonly pendingApprovals: number
}

/** Options of a new thread. */
export interface NewThread {
  /** The title. Default: the start of the first prompt. */
  readonly title?: string
  /** The agent. Default: the agent of the list. */
  readonly agent?: string
  /** The id. Default: chosen by the server. */
  readonly id?: string
}

/** The threads of a user, and the selected one. */
export interface ThreadsState {
  /** Last changed first. */
  readonly threads: readonly Thread[]
  /** The id of the selected thread, or null. */
  readonly current: string | null
  /** `failed`: the list has never loaded. */
  readonly phase: 'loading' | 'ready' | 'failed'
  /** Why the last load failed or the server refuses the change socket, such as an expired login. Null: no error. */
  readonly error: FabricError | null
  /** There are older threads. Load them with `more()`. */
  readonly hasMore: boolean
}
