// The kernel reads what an engine declares, never its name.
import type { ContractEventType } from '@bridle/events/catalogue'

/** in_process: in the server. bridge: a program behind a runner, in a sandbox. */
export type RunnerKind = 'in_process' | 'bridge'

export interface EngineIdentity {
  readonly engine: string
  readonly runnerKind: RunnerKind
}

/** native: reported by the engine. derived: inferred from other reports. none: never emitted. */
export type Fidelity = 'native' | 'derived' | 'none'

/** Published, so that clients know about reduced fidelity. */
export interface EngineInfo {
  /** The engine's name. */
  readonly name: string
  /** The installed version. */
  readonly version: string
  /** The fidelity of each event type. */
  readonly events: { readonly [T in Exclude<ContractEventType, 'session'>]: Fidelity }
  /** The features of the engine. */
  readonly features: {
    readonly resume: boolean
    readonly fork: boolean
    readonly steer: boolean
    readonly interrupt: boolean
    /** Approvals may change the arguments. */
    readonly editedInput: boolean
    /** Every call is logged before it executes. */
    readonly intentFirst: boolean
    readonly cost: boolean
  }
  /** Deviations that the fields above cannot express. */
  readonly notes: readonly string[]
}
