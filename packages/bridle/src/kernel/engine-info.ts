// Engines as the wires show them. The kernel reads what an engine declares, and never its name.
import type { ContractEventType } from './catalogue.ts'

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
  readonly name: string
  readonly version: string
  readonly events: { readonly [T in Exclude<ContractEventType, 'session'>]: Fidelity }
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
