// Calls of a sandbox provider to a runner: short and bounded, since a runner is as trustworthy as the programs that it runs.

import * as v from 'valibot'
import { withDeadline } from '../deadline.ts'
import type { RunnerHealth } from '../protocol.ts'
import { readRunnerText } from '../remote/bounded-response.ts'
import { HEALTH_MS, RUNNER_CALL_MS, WORK_FILES_BYTES_MAX, WORK_FILES_MS } from './limits.ts'
import type { RunnerFetch, Sandbox } from './provider.ts'

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
  try {
    return await withDeadline(timeoutMs, async (signal) => {
      const answer = await fetchRunner(`${url}/health`, { redirect: 'manual', signal })
      const said = v.safeParse(healthSchema, JSON.parse(await readRunnerText(answer)))
      return answer.ok && said.success ? (said.output as RunnerHealth) : null
    })
  } catch {
    return null
  }
}

/** False: the runner has no such route. Throws a sentence that names no value. */
export const putEnv = async (
  { url, token, fetch: fetchRunner }: Pick<Sandbox, 'url' | 'token' | 'fetch'>,
  vars: { readonly [name: string]: string | null },
): Promise<boolean> => {
  const status = await callRunner(url, 'PUT', '/env', token, { vars }, RUNNER_CALL_MS, fetchRunner)
  if (status === null) throw new Error("The sandbox's runner did not take its settings: it does not answer.")
  // A runner of the document alone has no such route; its platform sets its environment.
  if (status === 404 || status === 405) return false
  if (status >= 300)
    throw Object.assign(new Error(`The sandbox's runner did not take its settings: it answered ${status}.`), { status })
  return true
}

/** True = the runner accepted the request. */
export const askToStop = async (
  url: string,
  token: string | null,
  timeoutMs: number,
  fetchRunner?: RunnerFetch,
): Promise<boolean> => {
  const status = await callRunner(url, 'POST', '/stop', token, {}, timeoutMs, fetchRunner)
  return status !== null && status < 300
}

/** The runner's answer about the files of its work folder; null = no answer. */
export const askWorkFiles = async (
  { url, token, fetch: fetchRunner = fetch }: Pick<Sandbox, 'url' | 'token' | 'fetch'>,
  path: string,
): Promise<{ readonly status: number; readonly text: string } | null> => {
  try {
    return await withDeadline(WORK_FILES_MS, async (signal) => {
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      const answer = await fetchRunner(`${url}${path}`, { headers, redirect: 'manual', signal })
      return { status: answer.status, text: await readRunnerText(answer, WORK_FILES_BYTES_MAX) }
    })
  } catch {
    return null
  }
}

const callRunner = async (
  url: string,
  method: string,
  path: string,
  token: string | null,
  body: object,
  timeoutMs = RUNNER_CALL_MS,
  fetchRunner: RunnerFetch = fetch,
): Promise<number | null> => {
  try {
    return await withDeadline(timeoutMs, async (signal) => {
      const answer = await fetchRunner(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal,
      })
      await readRunnerText(answer)
      return answer.status
    })
  } catch {
    return null
  }
}
