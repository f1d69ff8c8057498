// A prompt and its run, followed through the queue, approvals and server restarts. Skips events of the session's other runs.
import type { AcceptedRun, AgentEvent, RunStatus } from '@bridle/wire/fabric/wire'
import type { CancelReceipt } from '@bridle/wire/http/wire'
import { FabricError } from '../http/error.ts'
import { RETRY_BASE_MS, RETRY_MAX_MS } from '../http/limits.ts'
import type { NewWorkspace } from './calls.generated.ts'
import type { FabricCalls } from './calls.ts'
import { sleep } from './event-feed.ts'
import type { FabricJson } from './request-options.ts'

/** Long enough for a server restart. */
const SUBMIT_TRIES_MAX = 5

/** Options of `ask`. */
export interface AskOptions {
  /** Requests with the same key and input are one run. Default: a new key. */
  readonly idempotencyKey?: string
  /** Stops reading. The run continues. */
  readonly signal?: AbortSignal
  /** The connection failed, and a retry follows. */
  readonly onRetry?: (cause: FabricError) => void
  /** Connected, for the first time or again after `onRetry`. */
  readonly onOpen?: () => void
  /** The workspace of a new session. Throws a FabricError if the session exists with another one. */
  readonly workspace?: NewWorkspace
}

/** A run as an async iterable of its events, with its outcome. */
export interface AskedRun extends AsyncIterable<AgentEvent> {
  /** Resolves when the server has accepted the run, which then continues regardless of the client. */
  readonly accepted: Promise<AcceptedRun>
  /** The outcome. A failed or cancelled run resolves too, with that `status`. */
  readonly result: Promise<RunStatus>
  /** Cancels this run, queued or running. */
  cancel(options?: { readonly reason?: string; readonly actor?: string }): Promise<CancelReceipt>
}

export type AskCalls = Pick<FabricCalls, 'session' | 'invoke' | 'run' | 'events' | 'cancel'>

/** Sends the prompt immediately. Each loop reads the run from its start and may be left at any time. */
export const askRun = (
  calls: AskCalls,
  agent: string,
  id: string,
  input: FabricJson,
  options: AskOptions = {},
): AskedRun => {
  const submitted = submit(calls, agent, id, input, options)
  const accepted = submitted.then((run) => run.accepted)
  // Avoid an unhandled rejection: the caller may use only the loop.
  accepted.catch(() => {})
  let outcome: Promise<RunStatus> | null = null
  const follow = (run: SubmittedRun) => followRun({ calls, agent, id, input, ...run }, options)

  return {
    accepted,
    get result() {
      outcome ??= submitted.then(async (run) => {
        const events = follow(run)
        for (;;) {
          const { done, value } = await events.next()
          if (done) return value
        }
      })
      return outcome
    },
    cancel: async (why = {}) => {
      const { runId } = await accepted
      return calls.cancel(id, { ...why, runId, agent })
    },
    async *[Symbol.asyncIterator]() {
      const status = yield* follow(await submitted)
      outcome ??= Promise.resolve(status)
    },
  }
}

interface SubmittedRun {
  readonly accepted: AcceptedRun
  /** Cursor before the run's first event. */
  readonly after: string
  readonly queued: number
}

const submit = async (
  calls: AskCalls,
  agent: string,
  id: string,
  input: FabricJson,
  options: AskOptions,
): Promise<SubmittedRun> => {
  // With a caller's key, the run may already exist.
  const mayBeEarlier = options.idempotencyKey !== undefined
  const before = mayBeEarlier
    ? null
    : await calls.session(id, agent).catch((error: unknown) => {
        if (error instanceof FabricError && error.status === 404) return null
        throw error
      })
  // The key makes a retry safe if the connection breaks before the response.
  const { idempotencyKey = crypto.randomUUID(), signal, workspace } = options
  const settings = { idempotencyKey, ...(signal && { signal }), ...(workspace && { workspace }) }
  const send = () => calls.invoke(agent, id, input, { async: true, ...settings })
  const accepted = await retryWhile(send, options, (error, tries) => error.status === 0 && tries < SUBMIT_TRIES_MAX)
  return { accepted, after: before?.lastEventId ?? '0', queued: before?.queued ?? 0 }
}

interface FollowedRun extends SubmittedRun {
  readonly calls: AskCalls
  readonly agent: string
  readonly id: string
  readonly input: FabricJson
}

async function* followRun(
  { calls, agent, id, input, accepted: { runId }, after, queued }: FollowedRun,
  options: AskOptions,
): AsyncGenerator<AgentEvent, RunStatus, undefined> {
  const { signal } = options
  const retried = <T>(act: () => Promise<T>) => retryWhile(act, options, (error) => error.isRetryable)
  const currentStatus = () => retried(() => calls.run(id, runId, agent))
  const lastEventId = () => retried(async () => (await calls.session(id, agent)).lastEventId)
  const leave = new AbortController()
  let removal: unknown = null
  let connections = 0
  const feed = calls.events(agent, id, {
    after,
    signal: signal ? AbortSignal.any([signal, leave.signal]) : leave.signal,
    onRetry: (cause) => options.onRetry?.(cause),
    // A run removed while disconnected would never report its end.
    onOpen: () => {
      options.onOpen?.()
      if (++connections === 1) return
      currentStatus().catch((error: unknown) => {
        removal = error
        leave.abort()
      })
    },
  })
  try {
    let ahead = queued
    let isOurs = false
    for await (const event of feed) {
      if (event.type === 'prompt_start' && !isOurs) {
        // Older servers do not name the run of a prompt, so compare text and position.
        const { runId: promptRunId, text } = event.data
        isOurs =
          promptRunId === undefined ? await isPromptOf(input, text, ahead--, currentStatus) : promptRunId === runId
        if (isOurs) yield event
        continue
      }
      // A notice may concern this run in the queue, or one behind it.
      if (event.type === 'notice') {
        if (event.data.runId === runId || (isOurs && event.data.runId === null)) yield event
        continue
      }
      // A prompt queued in a paused session starts when the session resumes.
      if (event.type === 'operator_action' && !isOurs) {
        if (event.data.action === 'pause' || event.data.action === 'resume') yield event
        continue
      }
      const mayBeOver = event.type === 'idle' || event.type === 'prompt_start'
      const isDropped = event.type === 'cancelled' && event.data.runId === runId
      const now = mayBeOver || isDropped ? await currentStatus() : null
      if ((isOurs && event.type !== 'prompt_start') || isDropped) yield event
      if (!now || !isFinal(now)) continue
      // The run may end while its earlier events are still being read.
      if (isOurs || isDropped || event.id === (await lastEventId())) return now
    }
  } finally {
    leave.abort()
  }
  if (removal !== null) throw removal
  signal?.throwIfAborted()
  throw new FabricError(0, 'closed', 'The event stream ended before the run did.')
}

/** True if the run has left the queue, and the text matches or nothing is ahead of it. */
const isPromptOf = async (
  input: FabricJson,
  text: string,
  ahead: number,
  currentStatus: () => Promise<RunStatus>,
): Promise<boolean> => {
  if ((await currentStatus()).status === 'queued') return false
  return ahead <= 0 || text === (input as { readonly prompt?: unknown } | null)?.prompt
}

const isFinal = ({ status }: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

const retryWhile = async <T>(
  act: () => Promise<T>,
  { signal, onRetry }: AskOptions,
  isWorthIt: (error: FabricError, tries: number) => boolean,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (signal?.aborted || !(error instanceof FabricError) || !isWorthIt(error, tries)) throw error
      onRetry?.(error)
      await sleep(error.retryAfterMs ?? Math.min(RETRY_BASE_MS * 2 ** tries, RETRY_MAX_MS), signal)
      signal?.throwIfAborted()
    }
  }
}
