// Engines as the wires show them. The kernel reads what an engine declares, and never its name.
import type { ContractEventType } from '@bridle/events/catalogue'

/** in_process: in the server itself. bridge: a program behind a runner, in a sandbox. */
export type RunnerKind = 'in_process' | 'bridge'

/** The engine that plays the turns of an agent, and where it runs. `session_state` shows both. */
export interface EngineIdentity {
  readonly engine: string
  readonly runnerKind: RunnerKind
}

/** native: the engine reports the event. derived: we conclude it from other reports. none: it is never emitted. */
export type Fidelity = 'native' | 'derived' | 'none'

/** Published, so that reduced fidelity is declared and never faked. */
export interface EngineInfo {
  /** The engine's name. */
  readonly name: string
  /** The version that is installed. */
  readonly version: string
  /** The fidelity of each event type. */
  readonly events: { readonly [T in Exclude<ContractEventType, 'session'>]: Fidelity }
  /** The features of the engine. */
  readonly features: {
    readonly resume: boolean
    readonly fork: boolean
    readonly steer: boolean
    readonly interrupt: boolean
    /** An approval may change the arguments. */
    readonly editedInput: boolean
    /** Every call is announced, and the announcement is in the log, before the call acts. */
    readonly intentFirst: boolean
    readonly cost: boolean
  }
  /** Deviations that the tables above cannot express. */
  readonly notes: readonly string[]
}
