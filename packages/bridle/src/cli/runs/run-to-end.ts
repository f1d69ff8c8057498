// Follows a run from its prompt to its end, through the queue, approvals and restarts of the server. The session may have other
// runs before and after; their events are not shown.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { FabricError } from '../../client/fabric/error.ts'
import type { FabricClient, RunStatus } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { RETRY_BASE_MS, RETRY_MAX_MS, SUBMIT_TRIES_MAX } from '../limits.ts'
import type { PrintableEvent } from '../terminal/event-printer.ts'
import type { RunPayload } from './run-input.ts'

export interface RunFollowOptions {
  readonly fabric: FabricClient
  readonly agent: string
  readonly id: string
  readonly input: RunPayload
  readonly signal: AbortSignal
  /** The server has accepted the run, which continues even if this process ends. */
  readonly onAccepted: (runId: string) => void
  readonly onEvent: (event: PrintableEvent) => void
  /** The server cannot be reached at the moment. */
  readonly onDisconnect: () => void
}

/** The final status. Throws when the run was never accepted, or when the signal aborts. */
export const runToEnd = async (options: RunFollowOptions): Promise<RunStatus> => {
  const { fabric, agent, id, input, signal, onEvent, onDisconnect } = options
  const before = await fabric.session(id, agent).catch((error: unknown) => {
    if (error instanceof FabricError && error.status === 404) return null
    throw error
  })
  // The key makes a retry safe when the connection breaks before the answer.
  const idempotencyKey = randomUUID()
  const submit = () => fabric.invoke(agent, id, input, { async: true, idempotencyKey, signal })
  const { runId } = await retryWhile(
    submit,
    options,
    (error, tries) => error.status === 0 && tries < SUBMIT_TRIES_MAX,
  ).catch((error: unknown) => {
    if (error instanceof FabricError && error.status === 404) return unknownAgent(fabric, agent)
    throw error
  })
  options.onAccepted(runId)
  const currentStatus = () =>
    retryWhile(
      () => fabric.run(id, runId, agent),
      options,
      (error) => error.isRetryable,
    )

  const leave = new AbortController()
  const lost = Promise.withResolvers<RunStatus>()
  lost.promise.catch(() => {})
  let connections = 0
  const feed = fabric.events(agent, id, {
    after: before?.lastEventId ?? '0',
    signal: AbortSignal.any([signal, leave.signal]),
    onRetry: onDisconnect,
    // A run that was removed while the connection was down would never report its end.
    onOpen: () => {
      if (++connections > 1) currentStatus().catch(lost.reject)
    },
  })
  const end = (async (): Promise<RunStatus> => {
    let ahead = before?.queued ?? 0
    let isOurs = false
    for await (const event of feed) {
      if (event.type === 'prompt_start' && !isOurs) {
        // An older server does not name the run of a prompt; compare text and position instead.
        const { runId: promptRunId, text } = event.data
        isOurs =
          promptRunId === undefined ? await isPromptOf(input, text, ahead--, currentStatus) : promptRunId === runId
        if (isOurs) onEvent(event)
        continue
      }
      const mayBeOver = event.type === 'idle' || event.type === 'prompt_start'
      const now = mayBeOver ? await currentStatus() : null
      if (isOurs && event.type !== 'prompt_start') onEvent(event)
      if (now && isFinal(now)) return now
    }
    throw new ExitError(EXIT_CODES.failed, 'The event stream ended before the run did.')
  })()
  return Promise.race([end, lost.promise]).finally(() => leave.abort())
}

const unknownAgent = async (fabric: FabricClient, agent: string): Promise<never> => {
  const { agents = [] } = await fabric.ready()
  throw new ExitError(
    EXIT_CODES.failed,
    `There is no agent ${agent}; there are ${agents.map(({ name }) => name).join(', ')}.`,
  )
}

/** Whether this prompt is the submitted one: the run has left the queue, and the text matches or nothing is ahead of it. */
const isPromptOf = async (
  input: RunPayload,
  text: string,
  ahead: number,
  currentStatus: () => Promise<RunStatus>,
): Promise<boolean> => {
  if ((await currentStatus()).status === 'queued') return false
  return ahead <= 0 || text === input.prompt
}

const isFinal = ({ status }: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Repeats the call while the error is worth a retry. */
const retryWhile = async <T>(
  act: () => Promise<T>,
  { signal, onDisconnect }: RunFollowOptions,
  isWorthIt: (error: FabricError, tries: number) => boolean,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !(error instanceof FabricError) || !isWorthIt(error, tries)) throw error
      onDisconnect()
      await sleep(error.retryAfterMs ?? Math.min(RETRY_BASE_MS * 2 ** tries, RETRY_MAX_MS), undefined, { signal })
    }
  }
}
