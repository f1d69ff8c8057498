// The settings that a runner reads from its environment: a server writes it for the runners that it starts, a person for one by hand.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PLAN_VARIABLE, parseIsolationPlan } from '../sandboxes/isolation/isolation-plan.ts'
import { parseApprovalMode } from './approval-mode.ts'
import type { SandboxRunnerOptions } from './sandbox-runner.ts'

/** Reads the settings of a runner from its environment: BRIDLE_RUNNER_WORK, BRIDLE_RUNNER_TOKEN and so on. */
export const runnerSettings = (env: NodeJS.ProcessEnv): Omit<SandboxRunnerOptions, 'engines'> => {
  const { BRIDLE_RUNNER_PRIVATE: privateFolder, BRIDLE_RUNNER_SOCKET: socketPath, [PLAN_VARIABLE]: plan } = env
  const {
    BRIDLE_RUNNER_APPROVALS: approvals,
    BRIDLE_RUNNER_MODELS: models,
    BRIDLE_RUNNER_MAX_SPEND_USD: maxSpend,
  } = env
  const idleMs = Number(env.BRIDLE_RUNNER_IDLE_MS ?? '')
  return {
    workFolder: resolve(env.BRIDLE_RUNNER_WORK ?? '.'),
    stateFolder: resolve(env.BRIDLE_RUNNER_STATE ?? '.bridle/runner'),
    // A server passes the token on standard input: other processes of the same user can read an environment.
    token:
      env.BRIDLE_RUNNER_TOKEN_FROM === 'stdin' ? readFileSync(0, 'utf8').trim() : env.BRIDLE_RUNNER_TOKEN || undefined,
    env,
    ...(privateFolder && { privateFolder }),
    ...(socketPath && { socketPath }),
    ...(plan && { isolation: parseIsolationPlan(plan) }),
    ...(approvals && { approvals: parseApprovalMode(approvals) }),
    ...(models && { models: models.split(/[\s,]+/).filter(Boolean) }),
    ...(maxSpend && { maxSpendUsd: parseSpend(maxSpend) }),
    ...(idleMs > 0 && { idleMs }),
  }
}

/** A limit that means nothing must not be no limit. */
const parseSpend = (text: string): number => {
  const usd = Number(text)
  if (text.trim() === '' || !Number.isFinite(usd) || usd < 0)
    throw new Error(`BRIDLE_RUNNER_MAX_SPEND_USD is "${text}"; it is a number of US dollars, such as 2.50.`)
  return usd
}
