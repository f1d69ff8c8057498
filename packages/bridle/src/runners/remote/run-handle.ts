// How a run is found again: where it is, the id that its runner knows it by, and the bearers that open it.
import type { JsonObject } from '../../kernel/json.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { Sandbox } from '../sandboxes/provider.ts'

/** In the log since before the query. */
export interface RunHandle extends JsonObject {
  readonly sandbox: string
  readonly request: string
}

/** Random: a runner may be shared by sessions, tenants and servers that know nothing of each other. */
export const newRunHandle = ({ id }: Sandbox): RunHandle => ({ sandbox: id, request: crypto.randomUUID() })

/** Logs from before requests had ids of their own name the attempt. */
export const requestIdOf = ({ runId, attempt, handle }: Pick<Job, 'runId' | 'attempt' | 'handle'>): string => {
  const { request } = (handle ?? {}) as Partial<RunHandle>
  return typeof request === 'string' ? request : `${runId}:${attempt}`
}

export const runPath = (job: Job): string => `/runs/${encodeURIComponent(requestIdOf(job))}`

/** The run's own bearer, then the sandbox's: a runner that never had the run knows only the latter. */
export const runBearers = async (
  runToken: (job: Job) => Promise<string | null>,
  job: Job,
  { token }: Sandbox,
): Promise<readonly (string | null)[]> => {
  const own = await runToken(job)
  return own === null ? [token] : [own, token]
}
