// A run from its prompt to its end, through queue, approvals and restarts of the server. The session may have runs of
// others before and after it; the events of those are not shown.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FabricClient, FabricError, type RunStatus } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import type { PrintableEvent } from '../terminal/event-printer.ts'
import type { RunPayload } from './run-input.ts'

export interface RunFollowOptions {
  readonly fabric: FabricClient
  readonly agent: string
  readonly id: string
  readonly input: RunPayload
  readonly signal: AbortSignal
  /** The server has it: from here on it runs, whoever watches. */
  readonly onAccepted: () => void
  readonly onEvent: (event: PrintableEvent) => void
  /** The server is gone for the moment. */
  readonly onDisconnect: () => void
}

/** How it ended. Throws when the run was never accepted, or the signal says to leave. */
export const runToEnd = async (asked: RunFollowOptions): Promise<RunStatus> => {
  const { fabric, agent, id, input, signal, onEvent, onDisconnect } = asked
  const before = await fabric.session(id, agent).catch((error: unknown) => {
    if (error instanceof FabricError && error.status === 404) return null
    throw error
  })
  // The key makes asking again harmless, should the connection die before the answer.
  const idempotencyKey = randomUUID()
  const submit = () => fabric.invoke(agent, id, input, { async: true, idempotencyKey, signal })
  const { runId } = await retryWhile(submit, asked, (error, tries) => error.status === 0 && tries < 5).catch(
    (error: unknown) => {
      if (error instanceof FabricError && error.status === 404) return unknownAgent(fabric, agent)
      throw error
    },
  )
  asked.onAccepted()
  const standing = () =>
    retryWhile(
      () => fabric.run(id, runId, agent),
      asked,
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
    // What was removed while we were cut off would never say that it ended.
    onOpen: () => {
      if (++connections > 1) standing().catch(lost.reject)
    },
  })
  const end = (async (): Promise<RunStatus> => {
    let ahead = before?.queued ?? 0
    let isOurs = false
    for await (const event of feed) {
      if (event.type === 'prompt_start' && !isOurs) {
        // A server that does not say whose prompt it is leaves it to be concluded.
        const { runId: named, text } = event.data
        isOurs = named === undefined ? await isPromptOf(input, text, ahead--, standing) : named === runId
        if (isOurs) onEvent(event)
        continue
      }
      const mayBeOver = event.type === 'idle' || event.type === 'prompt_start'
      const now = mayBeOver ? await standing() : null
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

/** Whether this prompt is the one that was sent: it waits no longer, and has the same text or nothing before it. */
const isPromptOf = async (
  input: RunPayload,
  text: string,
  ahead: number,
  standing: () => Promise<RunStatus>,
): Promise<boolean> => {
  if ((await standing()).status === 'queued') return false
  return ahead <= 0 || text === input.prompt
}

const isFinal = ({ status }: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Tries again while it is worth it. */
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
      await sleep(error.retryAfterMs ?? Math.min(250 * 2 ** tries, 10_000), undefined, { signal })
    }
  }
}
