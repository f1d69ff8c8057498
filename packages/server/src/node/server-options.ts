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

/** Settings of a server on Node. All are optional. */
export interface ServerOptions
  extends AccessOptions,
    AgentsOptions,
    SocketLimits,
    Pick<EngineAgentsOptions, 'sandbox' | 'engines'> {
  /** Default: 4317; 0 picks a free port. */
  readonly port?: number
  /** Default: 127.0.0.1. Any other host requires a token. */
  readonly host?: string
  /** Data folder. Default: `.bridle`. */
  readonly data?: string
  /**
   * Where sessions are stored: `sqlite` (default, in the data folder), `memory`, the path of a module that default-exports a
   * `StoreOpener`, or a `StoreOpener`. Secrets, sandboxes and work folders always stay in the data folder.
   */
  readonly store?: 'sqlite' | 'memory' | (string & {}) | StoreOpener
  /** Generates a token once, keeps it in the data folder, and requires it, or another configured token, from every caller. */
  readonly keepToken?: boolean
  /** Token of the server's own user. On loopback, its holder may use any folder of this user as a workspace, even in place. */
  readonly ownerToken?: string
  /**
   * Web app at `/`: the folder of its built files, a function that serves them, or false. Default: the cockpit of the package;
   * none when running from source.
   */
  readonly cockpit?: string | false | FileServer
  /** Folders that workspaces may start from, for all tenants or for one. Default: none, so workspaces start empty. */
  readonly workspaces?: WorkspaceOptions
  /** Agent for sessions that name none. Default: BRIDLE_AGENT, else a `claude` or `assistant` that can run, else `scripted`. */
  readonly defaultAgent?: string
  /** Agents exposed in production without a trigger, in addition to BRIDLE_EXPOSE. */
  readonly expose?: readonly string[]
  /** False: voice clients must not add instructions to their agent's. BRIDLE_VOICE_INSTRUCTIONS=0 does the same. */
  readonly voiceInstructions?: boolean
  /** OpenHarness engine: how long it waits, what it keeps of a restricted state, and where it may fetch files from. */
  readonly openharness?: OpenHarnessOptions
  /** Rate limits per caller. Default: as documented. */
  readonly rateLimit?: RateLimit
  /** Trust X-Forwarded-For, -Host and -Proto of these proxies: addresses, ranges, or `loopback`. Adds to BRIDLE_TRUST_PROXY. */
  readonly trustedProxies?: readonly string[]
  /** Default: 8 MiB. */
  readonly maxBodyBytes?: number
  /** Environment: FABRIC_MODE, FABRIC_ENV, NODE_ENV, FABRIC_HARNESS_TENANT_REQUIRED, keys and tokens. Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv
  /** Minimum milliseconds between token events; 0 sends every token. */
  readonly tokenPaceMs?: number
  /** Heartbeat interval of streams and sockets. Default: 15 s. */
  readonly heartbeatMs?: number
  /** Reconnect delay sent to readers of event streams. Default: 2 s. */
  readonly retryMs?: number
  /** A silent socket is closed after this time. Default: 45 s. */
  readonly deadAfterMs?: number
  /** Timeout for request headers. Default: 10 s. */
  readonly headersMs?: number
  /** Idle timeout of connections. Default: 75 s, more than the 60 s of proxies. */
  readonly keepAliveMs?: number
  /** Maximum open connections of all kinds. Default: 20,000. */
  readonly maxConnections?: number
  /** Maximum open sockets. Default: 10,000. */
  readonly maxSockets?: number
  /** Maximum connections per address. Default: 1,000, except for loopback. An explicit limit applies to every address. */
  readonly maxConnectionsPerAddress?: number
  /** Maximum unsent bytes of all streams and sockets together. Default: 256 MiB. */
  readonly maxUnsentBytes?: number
  /** Memory for loaded sessions; beyond it, idle ones are evicted. Default: 256 MiB, half of it for a single tenant. */
  readonly memory?: HostPorts['memory']
  /** Called with committed updates of runs: how each ended, and why one waits. */
  readonly onRun?: (update: RunUpdate) => void
  /** Called with errors that agent code throws, including the stack. Default: logged at level `error`. */
  readonly onAgentFailure?: (failure: AgentFailure) => void
  /** Receives log entries. Default: standard error, at the level of BRIDLE_LOG. */
  readonly log?: Logger
}
