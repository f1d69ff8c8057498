// The options of local sandboxes, and their defaults.

import type { NetworkPolicy } from '../network/network-policy.ts'
import type { SessionFoldersOptions } from './folders/session-folders.ts'
import type { Backend } from './isolation/isolation.ts'
import type { ResourceLimits } from './resources/resource-limits.ts'
import { HEALTH_MS } from './runner-calls.ts'

/** Settings of sandboxes on this machine. */
export interface LocalSandboxOptions {
  /** The server's data folder. */
  readonly folder: string
  /** How the folders of sessions are kept. */
  readonly folders?: SessionFoldersOptions
  /** Runner tokens are derived from it and never stored. */
  readonly secret: string
  /** The isolation of engines; default: bubblewrap. */
  readonly backend?: Backend | undefined
  /** Absent = the `bridle runner` command. */
  readonly command?: readonly string[]
  /** The folder where engines are installed, if not beside this package. One may be installed while the server runs. */
  readonly engines?: () => string | null
  /** Added to a sandbox's environment. All programs in the sandbox can read it. */
  readonly env?: { readonly [name: string]: string }
  /** The time without a run after which a sandbox ends. */
  readonly idleMs?: number
  /** The age at which a sandbox ends, once its run is over. */
  readonly maxAgeMs?: number
  /** The most sandboxes at a time. */
  readonly max?: number
  /** How long a runner may take to listen. */
  readonly startMs?: number
  /** A sandbox that was just acquired counts as in use for this time, before its run starts. */
  readonly graceMs?: number
  /** A runner that answered within this time needs no health check. */
  readonly trustMs?: number
  /** The time between two sweeps. */
  readonly sweepMs?: number
  /** The timeout of a health check; after three failures the sandbox counts as dead. */
  readonly healthMs?: number
  /** The time between the request to stop and the kill. */
  readonly stopMs?: number
  /** The clock, for tests. */
  readonly now?: () => number
  /** The path of bubblewrap; default: the one on the PATH. */
  readonly bwrap?: string
  /** Default: none. */
  readonly network?: NetworkPolicy
  /** Called with the folder of a sandbox that works in place; the result is called when it has ended. */
  readonly onInPlace?: (work: string) => () => void
  /** The memory, processes and disk that a sandbox may use. */
  readonly limits?: ResourceLimits
}

export type LocalSandboxSettings = LocalSandboxOptions & Required<Omit<LocalSandboxOptions, OptionWithoutDefault>>
type OptionWithoutDefault = 'bwrap' | 'engines' | 'command' | 'folders' | 'network' | 'limits' | 'onInPlace'

export const withSandboxDefaults = (options: LocalSandboxOptions): LocalSandboxSettings => ({
  backend: 'bubblewrap',
  env: {},
  idleMs: 10 * 60_000,
  maxAgeMs: 12 * 3_600_000,
  max: 8,
  startMs: 30_000,
  graceMs: 3_000,
  trustMs: 10_000,
  sweepMs: 30_000,
  healthMs: HEALTH_MS,
  stopMs: 3_000,
  now: Date.now,
  ...options,
})
