// Calls of a sandbox provider to a runner: short and bounded, since a runner is as trustworthy as the programs that it runs.

import { tryOr } from '@bridle/kernel/try-or'
import * as v from 'valibot'
import { withDeadline } from '../calls/deadline.ts'
import type { RunEnvVars, RunnerHealth } from '../protocol/protocol.ts'
import { readRunnerText } from '../remote/bounded-response.ts'
import type { RunnerFetch, Sandbox } from '../remote/provider.ts'

/** A healthy runner answers in milliseconds; a machine at its limit does not. */
export const HEALTH_MS = 2_000

/** Setting variables or asking a runner to stop is one small request. */
const RUNNER_CALL_MS = 5_000
/** The text of a file of 1 MB as JSON, each of its characters escaped; a list of 1,000 changes is shorter. */
const WORK_FILES_BYTES_MAX = 8 * 1024 * 1024
/** The runner compares for ten seconds at most, and others may wait before. */
const WORK_FILES_MS = 30_000

const healthSchema = v.looseObject({
  ok: v.boolean(),
  busy: v.boolean(),
  hasAnthropicKey: v.optional(v.boolean(), false),
  hasOpenAIKey: v.optional(v.boolean()),
  instance: v.optional(v.pipe(v.string(), v.maxLength(200))),
})

/** Null: no answer, or an answer that is not a runner's. */
export const askHealth = async (
  url: string,
  timeoutMs = HEALTH_MS,
  fetchRunner: RunnerFetch = fetch,
): Promise<RunnerHealth | null> => {
  const answer = await ask(fetchRunner, `${url}/health`, timeoutMs)
  const body: unknown = tryOr(null, () => JSON.parse(answer?.text ?? ''))
  const said = v.safeParse(healthSchema, body)
  return answer?.ok && said.success ? (said.output as RunnerHealth) : null
}

/** False: the runner has no such route. Throws a sentence that names no value. */
export const putEnv = async (
  { url, token, fetch: fetchRunner = fetch }: Pick<Sandbox, 'url' | 'token' | 'fetch'>,
  vars: RunEnvVars,
): Promise<boolean> => {
  const answer = await ask(fetchRunner, `${url}/env`, RUNNER_CALL_MS, jsonRequest('PUT', token, { vars }))
  if (!answer) throw new Error("The sandbox's runner did not take its settings: it does not answer.")
  // A runner of the document alone has no such route; its platform sets its environment.
  const { status } = answer
  if (status === 404 || status === 405) return false
  if (status >= 300)
    throw Object.assign(new Error(`The sandbox's runner did not take its settings: it answered ${status}.`), { status })
  return true
}

export const askToStop = async (
  url: string,
  token: string | null,
  timeoutMs: number,
  fetchRunner: RunnerFetch = fetch,
): Promise<boolean> => {
  const answer = await ask(fetchRunner, `${url}/stop`, timeoutMs, jsonRequest('POST', token, {}))
  return answer !== null && answer.status < 300
}

/** The runner's answer about the files of its work folder; null = no answer. */
export const askWorkFiles = async (
  { url, token, fetch: fetchRunner = fetch }: Pick<Sandbox, 'url' | 'token' | 'fetch'>,
  path: string,
): Promise<RunnerAnswer | null> =>
  ask(fetchRunner, `${url}${path}`, WORK_FILES_MS, { headers: bearer(token) }, WORK_FILES_BYTES_MAX)

interface RunnerAnswer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
}

const bearer = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

const jsonRequest = (method: string, token: string | null, body: object): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...bearer(token) },
  body: JSON.stringify(body),
})

/** Null: no answer in time, or one that is too long. */
const ask = async (
  fetchRunner: RunnerFetch,
  url: string,
  timeoutMs: number,
  init: RequestInit = {},
  bytesMax?: number,
): Promise<RunnerAnswer | null> => {
  try {
    return await withDeadline(timeoutMs, async (signal) => {
      const answer = await fetchRunner(url, { ...init, redirect: 'manual', signal })
      return { ok: answer.ok, status: answer.status, text: await readRunnerText(answer, bytesMax) }
    })
  } catch {
    return null
  }
}
