import type { Clock } from '../../kernel/ports/clock.ts'
import type { Digest } from '../../kernel/ports/digest.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { ProviderName } from '../credentials/providers.ts'
import type { UploadReader } from '../files/sent-files.ts'
import type { EngineSettings } from '../protocol.ts'
import type { SandboxProvider } from '../sandboxes/provider.ts'
import type { LivenessRules } from './liveness-monitor.ts'
import type { WaitLimits } from './sandbox-queue.ts'

/** Settings of `remoteRunner`. */
export interface RemoteRunnerOptions {
  /** The engine that the sandbox runs. */
  readonly engine: string
  /** The provider of the engine's models, for the status card. */
  readonly modelProvider?: ProviderName
  /** The source of sandboxes. */
  readonly provider: SandboxProvider
  /** The clock. */
  readonly clock: Clock
  /** The hash function that approved arguments are compared by. */
  readonly digest: Digest
  /** The operator's settings of the engine, which a session may narrow. */
  readonly settings?: EngineSettings
  /** The reason why runs may not use a model that a caller chose, as a sentence; null = they may. Absent: any model. */
  readonly modelProblem?: (model: string) => string | null
  /** The bearer token of one run, derived from run and attempt, so that the next process knows it too. */
  readonly runToken: (job: Job) => Promise<string | null>
  /** The keys with which the sandbox reaches its model until the run ends. */
  readonly credentials: RunCredentials
  /** When a silent stream counts as broken. */
  readonly liveness?: LivenessRules
  /** Where the files of prompts are read. Absent: the engine learns only that they came. */
  readonly uploads?: UploadReader
  /** How a run waits for a free sandbox. */
  readonly queueLimits?: WaitLimits
}

export type RunEnvVars = { readonly [name: string]: string | null }

export interface RunCredentials {
  grant(job: Job): Promise<RunEnvVars>
  /** The variables of a sandbox that is started for the job and may stay for later runs. Absent: it starts with none. */
  grantAtStart?(job: Job): Promise<RunEnvVars>
  revoke(job: Job): void
}
