// The options of a server on Node. Every option has a default.
import type { AgentFailure } from '@bridle/agents/run-ports'
import type { HostPorts } from '@bridle/kernel/host/host'
import type { StoreOpener } from '@bridle/stores/open-store'
import type { AccessOptions } from '@bridle/surfaces/http/access/authenticate'
import type { RateLimit } from '@bridle/surfaces/http/access/rate-limit'
import type { OpenHarnessOptions } from '@bridle/surfaces/http/router/openharness-options'
import type { FileServer } from '@bridle/surfaces/http/router/pages'
import type { EngineAgentsOptions } from '../agents/engines.ts'
import type { RunUpdate } from '../agents/run-updates.ts'
import type { AgentsOptions } from '../agents/server-agents.ts'
import type { Logger } from './logger.ts'
import type { SocketLimits } from './sockets/socket-monitor.ts'
import type { WorkspaceOptions } from './workspaces/workspace-sources.ts'

/** Settings of a server on Node. Every one has a default. */
export interface ServerOptions
  extends AccessOptions,
    AgentsOptions,
    SocketLimits,
    Pick<EngineAgentsOptions, 'sandbox' | 'engines'> {
  /** Default 4317; 0 = any free one. */
  readonly port?: number
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string
  /** The data folder; default `.bridle`. */
  readonly data?: string
  /**
   * Where sessions are kept: `sqlite` (the default, in the data folder), `memory` (until the server stops), the path of a module
   * whose default export is a `StoreOpener`, or a `StoreOpener`. Secrets, sandboxes and work folders stay in the data folder.
   */
  readonly store?: 'sqlite' | 'memory' | (string & {}) | StoreOpener
  /** Makes a token once, keeps it in the data folder, and requires it, or another configured token, from every caller. */
  readonly keepToken?: boolean
  /**
   * A token of the server's user alone. On loopback its holder may name any folder of this user for a workspace, also to work in it.
   */
  readonly ownerToken?: string
  /**
   * The web app at `/`: the folder of its built files, a function that answers with them, or false for none. Default: the cockpit that
   * the package brings; from source, where nothing is built, none.
   */
  readonly cockpit?: string | false | FileServer
  /** The folders that workspaces may begin with, for all tenants or for one; default: none, so workspaces begin empty. */
  readonly workspaces?: WorkspaceOptions
  /** The agent of a session that names none; default: BRIDLE_AGENT, else the first of `claude` and `assistant` that can run, else `scripted`. */
  readonly defaultAgent?: string
  /** Agents that production exposes although they declare no trigger; BRIDLE_EXPOSE names more. */
  readonly expose?: readonly string[]
  /** False = clients of a voice line may not add instructions to those of its agent. BRIDLE_VOICE_INSTRUCTIONS=0 forbids them, too. */
  readonly voiceInstructions?: boolean
  /** The engine that OpenHarness shells ask: how long it waits, what it keeps of a restricted state, and from where it fetches files. */
  readonly openharness?: OpenHarnessOptions
  /** Limits of requests for each caller; default: those of the documentation. */
  readonly rateLimit?: RateLimit
  /** Proxies whose X-Forwarded-For, -Host and -Proto count: addresses, ranges, or `loopback`. BRIDLE_TRUST_PROXY names more. */
  readonly trustedProxies?: readonly string[]
  /** Default 8 MiB. */
  readonly maxBodyBytes?: number
  /** Variables: FABRIC_MODE, FABRIC_ENV, NODE_ENV, FABRIC_HARNESS_TENANT_REQUIRED, keys and tokens. Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv
  /** At most one token event per this many ms; 0 = every token. */
  readonly tokenPaceMs?: number
  /** The time between two heartbeats on a stream or socket; default 15 s. */
  readonly heartbeatMs?: number
  /** Time before a reader of an event stream reconnects; default 2 s. */
  readonly retryMs?: number
  /** A silent socket is closed after this time; default 45 s. */
  readonly deadAfterMs?: number
  /** Time for a connection to send the headers of a request; default 10 s. */
  readonly headersMs?: number
  /** An idle connection stays open this long; default 75 s, more than proxies keep theirs (60 s). */
  readonly keepAliveMs?: number
  /** Connections open at once, of all kinds; default 20,000. */
  readonly maxConnections?: number
  /** Sockets open at once; default 10,000. */
  readonly maxSockets?: number
  /** Connections of one address; default 1,000, except for loopback. An explicit limit holds for every address. */
  readonly maxConnectionsPerAddress?: number
  /** Unsent bytes of all streams and sockets together; default 256 MiB. */
  readonly maxUnsentBytes?: number
  /** Memory for loaded sessions; beyond it idle ones are evicted. Default 256 MiB, and half of it for one tenant. */
  readonly memory?: HostPorts['memory']
  /** Receives news of runs, as they are committed: how each ended, and why one waits. */
  readonly onRun?: (update: RunUpdate) => void
  /** Receives what code of an agent throws, with its stack; default: the log, at level `error`. */
  readonly onAgentFailure?: (failure: AgentFailure) => void
  /** Receives the log; default: standard error, at the level of BRIDLE_LOG. */
  readonly log?: Logger
}
