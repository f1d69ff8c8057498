// The handle by which a run is found again: its sandbox, its id at the runner, and the bearers that open it.
import type { JsonObject } from '@bridle/events/json'
import type { Job } from '@bridle/kernel/ports/runner'
import type { Sandbox } from './provider.ts'

/** The log has the handle before the query is sent. */
export interface RunHandle extends JsonObject {
  readonly sandbox: string
  readonly request: string
}

/** The id is random: sessions, tenants and servers may share a runner without knowing of each other. */
export const newRunHandle = ({ id }: Sandbox): RunHandle => ({ sandbox: id, request: crypto.randomUUID() })

/** Older logs have no request id; the attempt names the request there. */
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
