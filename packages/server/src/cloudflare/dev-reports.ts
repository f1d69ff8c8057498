// Reports to `bridle dev --target cloudflare`, which sets the address. A deployed Worker has none and reports nothing.

import type { AgentFailure } from '@bridle/agents/run-ports'
import { shortErrorMessage } from '@bridle/agents/session/error-message'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { type RunUpdate, runUpdates } from '../agents/run-updates.ts'

/** Queued reports. A terminal could not show more of a flood. */
const DEV_REPORTS_MAX = 1_000
/** A chain of causes may be circular. */
const DEV_CAUSES_MAX = 5
/** The runtime keeps ten, which a library may fill alone. */
const DEV_STACK_LINES = 50

export type DevReport =
  | { readonly type: 'run'; readonly update: RunUpdate }
  | { readonly type: 'failure'; readonly failure: DevFailure }

export interface DevFailure extends Omit<AgentFailure, 'error'> {
  readonly errors: readonly DevError[]
  readonly value: string
}

export interface DevError {
  readonly name: string
  readonly message: string
  /** Positions refer to the bundle. */
  readonly stack: string
}

export interface DevReporter {
  readonly commit: (key: Key, events: readonly AnyEvent[]) => void
  readonly failure: (failure: AgentFailure) => void
}

interface DevEnv {
  readonly BRIDLE_DEV_REPORTS?: string
}

/** Null if no command listens. `waitUntil` keeps the object in memory until a report is sent. */
export const devReporter = (env: object, waitUntil: (work: Promise<void>) => void): DevReporter | null => {
  const { BRIDLE_DEV_REPORTS: url } = env as DevEnv
  if (!url) return null
  Error.stackTraceLimit = DEV_STACK_LINES
  const waiting: DevReport[] = []
  let isSending = false

  /** Sequential, because concurrent requests could arrive out of order. */
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const body = JSON.stringify(waiting.splice(0))
      await fetch(url, { method: 'POST', body })
        .then((answer) => answer.arrayBuffer())
        // The terminal is gone, which must not affect the runs.
        .catch(() => {})
    }
    isSending = false
  }
  const add = (report: DevReport): void => {
    if (waiting.length >= DEV_REPORTS_MAX) return
    waiting.push(report)
    if (isSending) return
    isSending = true
    waitUntil(sendAll())
  }

  return {
    commit: runUpdates((update) => add({ type: 'run', update })),
    failure: ({ error, ...place }) =>
      add({ type: 'failure', failure: { ...place, errors: errorsOf(error), value: shortErrorMessage(error) } }),
  }
}

const errorsOf = (error: unknown): readonly DevError[] => {
  const errors: DevError[] = []
  for (let each = error; each instanceof Error && errors.length < DEV_CAUSES_MAX; each = each.cause)
    errors.push({ name: each.name, message: each.message, stack: each.stack ?? '' })
  return errors
}
