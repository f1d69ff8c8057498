// After crashes, the host uses the gate to delay runs.

export interface RunGate {
  request(request: RunRequest): RunAdmission
}

export interface RunRequest {
  readonly suspicion: Suspicion | null
  /** Logs that another run starts beside this one, so that later crashes do not count. */
  readonly excuse: () => Promise<void>
}

/** The run crashed its process, or ran beside one that did. */
export interface Suspicion {
  readonly diedInTrial: boolean
  readonly trials: number
  /** Trials that it survived or did not have alone. */
  readonly inconclusive: number
}

export interface RunAdmission {
  /** A promise if the run has to wait. Never resolves in a process that is about to stop. */
  readonly pass: RunPass | Promise<RunPass>
  readonly gotFurther: () => void
  readonly release: () => void
}

export interface RunPass {
  /** The run's previous process crashed. */
  readonly died: boolean
  /** On trial: whether no other run is active. Absent: not on trial. */
  readonly alone?: boolean
  /** Other runs open when the previous process ended. */
  readonly others?: number
}
