// A provider of sandboxes, in which runners run. A session has at most one, which is reused while it is healthy.
import type { Key } from '@bridle/kernel/event'
import type { RunnerHealth } from '../protocol/protocol.ts'

export type RunnerFetch = (url: string, init: RequestInit) => Promise<Response>

/** A place where an engine works: a process or container with a runner in it. */
export interface Sandbox {
  /** Stable while this process or container lives. Stored in the log, so it holds no secret. */
  readonly id: string
  /** The address of its runner. */
  readonly url: string
  /** Reaches the runner where its URL alone is not enough; default: the platform's `fetch`. */
  readonly fetch?: RunnerFetch
  /** The bearer of `/query` and `/env`; null = the runner asks for none. */
  readonly token: string | null
  /**
   * True: the runner takes the variables of a run with its query. False: the runner follows document 001 alone, and gets them
   * through `setEnvVars` before each run.
   */
  readonly hasRunEnv: boolean
  /** The isolation that was asked for, and the isolation that it has. */
  readonly notice: SandboxNotice
}

/** The isolation that was requested and the one that is in place: the body of a `sandbox.notice`. */
export interface SandboxNotice {
  readonly requestedBackend: string
  readonly resolvedBackend: string
  readonly isolation: string
  readonly reason?: string
}

/** Variables for a sandbox that has to be started; it may stay for later runs of its session. */
export type StartVarsSource = () => Promise<{ readonly [name: string]: string | null }>

/** A source of sandboxes. Write one to run engines in a place of your own. */
export interface SandboxProvider {
  /**
   * The session's sandbox: the healthy one that is there, else a new one. Throws `NoFreeSandboxError` where waiting helps, else a
   * sentence a person can act on. A branch begins with what its parent had.
   */
  acquire(key: Key, parent?: Key | null, vars?: StartVarsSource): Promise<Sandbox>
  /** Whether the session has a sandbox, as far as this process knows; absent = unknown. */
  has?(key: Key): boolean
  /** The sandbox with this id, also one that an earlier server process started; null = it is gone. */
  find(id: string): Promise<Sandbox | null>
  /** The session's own sandbox if it is up now; starts none. Absent: sessions share a sandbox, or the server reads its files itself. */
  findOwn?(key: Key): Promise<Sandbox | null>
  /** Null: the runner does not answer. */
  health(sandbox: Sandbox): Promise<RunnerHealth | null>
  /**
   * Before each run of a sandbox without `hasRunEnv`: what is set here is shared by all that its runner plays. False: its
   * runner takes none.
   */
  setEnvVars(sandbox: Sandbox, vars: { readonly [name: string]: string | null }): Promise<boolean>
  /** Stops a sandbox. */
  stop(sandbox: Sandbox): Promise<void>
  /** The session was removed: its sandbox, work folder and transcripts are removed. */
  forget(key: Key): Promise<void>
}
