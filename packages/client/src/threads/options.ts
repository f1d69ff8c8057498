// The settings and the state of a list of threads.

import type { FabricClientOptions } from '../fabric/requests.ts'
import type { FabricError } from '../http/error.ts'
import type { ChangesOptions } from '../operator/changes.ts'

/** Settings of `threads`. */
export interface ThreadsOptions extends FabricClientOptions {
  /** Only threads with this agent, and the agent of new ones. Default: all agents, and the server's default agent. */
  readonly agent?: string
  /** The thread that is shown first. Default: none. */
  readonly current?: string | null
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: ChangesOptions['WebSocket']
  /** Whether changes from elsewhere are followed over a socket. Default: true. */
  readonly live?: boolean
}

/** A conversation in a list. */
export interface Thread {
  /** The id of its session. */
  readonly id: string
  /** The name of its agent. */
  readonly agent: string
  /** The title that somebody gave it, else the beginning of its first prompt; empty before that. */
  readonly title: string
  /** The status of its session. */
  readonly status: string
  /** The time of the last change, in ISO 8601. */
  readonly updatedAt: string
  /** The number of approvals that wait. */
  readonly pendingApprovals: number
}

/** A thread to make. */
export interface NewThread {
  /** The title. Default: the beginning of the first prompt. */
  readonly title?: string
  /** The agent. Default: that of the list. */
  readonly agent?: string
  /** The id. Default: the server chooses one. */
  readonly id?: string
}

/** The threads of a user, and the one that is shown. */
export interface ThreadsState {
  /** The newest change first. */
  readonly threads: readonly Thread[]
  /** The id of the thread that is shown; null = none. */
  readonly current: string | null
  /** Whether the list has been loaded; `failed` = it could not be loaded so far. */
  readonly phase: 'loading' | 'ready' | 'failed'
  /** The reason why the last load failed, or why the server refuses the connection for changes, such as a login that has ended; null = none. */
  readonly error: FabricError | null
  /** There are older threads: `more()` loads them. */
  readonly hasMore: boolean
}
