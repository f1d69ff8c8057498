// A run from its prompt to its end, through queue, approvals and restarts of the server. The session may have runs of
// others before and after it; the events of those are not shown.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FabricClient, FabricError, type RunStanding } from '../../client/index.ts'
import { EXIT, Stop } from '../command.ts'
import type { Told } from '../terminal/event-printer.ts'
import type { Input } from './run-input.ts'

export interface Asked {
  readonly fabric: FabricClient
  readonly agent: string
  readonly id: string
  readonly input: Input
  readonly signal: AbortSignal
  /** The server has it: from here on it runs, whoever watches. */
  readonly onAccepted: () => void
  readonly onEvent: (event: Told) => void
  /** The server is gone for the moment. */
  readonly onTrouble: () => void
}

/** How it ended. Throws when the run was never accepted, or the signal says to leave. */
export const followedRun = async (asked: Asked): Promise<RunStanding> => {
  const { fabric, agent, id, input, signal, onEvent, onTrouble } = asked
  const before = await fabric.session(id, agent).catch((error: unknown) => {
    if (error instanceof FabricError && error.status === 404) return null
    throw error
  })
  // The key makes asking again harmless, should the connection die before the answer.
  const idempotencyKey = randomUUID()
  const submit = () => fabric.invoke(agent, id, input, { async: true, idempotencyKey, signal })
  const { runId } = await patiently(submit, asked, (error, tries) => error.status === 0 && tries < 5).catch(
    (error: unknown) => {
      if (error instanceof FabricError && error.status === 404) return unknownAgent(fabric, agent)
      throw error
    },
  )
  asked.onAccepted()
  const standing = () =>
    patiently(
      () => fabric.run(id, runId, agent),
      asked,
      (error) => error.isPassing,
    )

  const leave = new AbortController()
  const lost = Promise.withResolvers<RunStanding>()
  lost.promise.catch(() => {})
  let connections = 0
  const feed = fabric.events(agent, id, {
    after: before?.lastEventId ?? '0',
    signal: AbortSignal.any([signal, leave.signal]),
    onRetry: onTrouble,
    // What was removed while we were cut off would never say that it ended.
    onOpen: () => {
      if (++connections > 1) standing().catch(lost.reject)
    },
  })
  const end = (async (): Promise<RunStanding> => {
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
    throw new Error('The stream ended before the run.')
  })()
  return Promise.race([end, lost.promise]).finally(() => leave.abort())
}

const unknownAgent = async (fabric: FabricClient, agent: string): Promise<never> => {
  const { agents = [] } = await fabric.ready()
  throw new Stop(EXIT.failed, `There is no agent ${agent}; there are ${agents.map(({ name }) => name).join(', ')}.`)
}

/** Whether this prompt is the one that was sent: it waits no longer, and has the same text or nothing before it. */
const isPromptOf = async (
  input: Input,
  text: string,
  ahead: number,
  standing: () => Promise<RunStanding>,
): Promise<boolean> => {
  if ((await standing()).status === 'queued') return false
  return ahead <= 0 || text === input.prompt
}

const isFinal = ({ status }: RunStanding): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Tries again while it is worth it. */
const patiently = async <T>(
  act: () => Promise<T>,
  { signal, onTrouble }: Asked,
  isWorthIt: (error: FabricError, tries: number) => boolean,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !(error instanceof FabricError) || !isWorthIt(error, tries)) throw error
      onTrouble()
      await sleep(error.retryAfterMs ?? Math.min(250 * 2 ** tries, 10_000), undefined, { signal })
    }
  }
}
