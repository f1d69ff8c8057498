// The gate that a run passes before it starts in this process. A host delays runs here after crashes.

export interface RunGate {
  request(request: RunRequest): RunAdmission
}

export interface RunRequest {
  /** Null: the run is not a suspect. */
  readonly suspicion: Suspicion | null
  /** Records in the log that another run starts beside this one, so that later crashes do not count. Resolves when that is written. */
  readonly excuse: () => Promise<void>
}

/** The record of a run that crashed its process, or was beside one that did. */
export interface Suspicion {
  /** The process crashed while the run was on trial. */
  readonly diedInTrial: boolean
  readonly trials: number
  /** Trials that the run survived, or did not have alone. */
  readonly inconclusive: number
}

export interface RunAdmission {
  /** A promise if the run has to wait. It never resolves in a process that is about to stop. */
  readonly pass: RunPass | Promise<RunPass>
  /** The run made progress and is no longer a suspect. */
  readonly gotFurther: () => void
  /** The run has left this process. */
  readonly release: () => void
}

/** Circumstances under which a run starts or is resumed. */
export interface RunPass {
  /** The process that had the run before crashed. */
  readonly died: boolean
  /** On trial: true = no other run is at work; false = earlier suspects still are. Absent = not on trial. */
  readonly alone?: boolean
  /** Other runs that were open when that process ended. */
  readonly others?: number
}
