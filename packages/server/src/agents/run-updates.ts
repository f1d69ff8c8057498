// Turns committed events into updates for the server's terminal: how each run ended, and why one is waiting.
import { present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import { questionRequest, requestFields } from '@bridle/kernel/question-request'
import { type Notice, noticeOf } from '@bridle/kernel/views/notice'

/** The oldest is evicted; its end is then reported without a duration. */
export const WATCHED_RUNS_MAX = 10_000

interface RunPlace {
  /** Session key: tenant, agent and id. */
  readonly key: Key
  readonly runId: string | null
}

/** Update about a run. */
export type RunUpdate =
  | (RunPlace & { readonly type: 'notice'; readonly kind: Notice['kind'] | 'waiting'; readonly message: string })
  /** The run is waiting for approval. */
  | (RunPlace & {
      readonly type: 'approval'
      readonly approvalId: string
      readonly subject: string
      /** Absent if the approval is not a question. */
      readonly question?: QuestionRequest
    })
  | (RunPlace & {
      readonly type: 'end'
      readonly outcome: 'completed' | 'failed' | 'cancelled'
      /** Null if the run started in an earlier process. */
      readonly ms: number | null
      /** In US dollars. Null: unknown. */
      readonly costUsd: number | null
      /** Why the run failed. */
      readonly message: string | null
    })

export const runUpdates = (
  onUpdate: (update: RunUpdate) => void,
): ((key: Key, events: readonly AnyEvent[]) => void) => {
  const runs = new Map<string, { readonly from: number; costUsd: number | null; message: string | null }>()

  const begin = (id: string, at: number) => {
    const oldest = runs.keys().next().value
    if (runs.size >= WATCHED_RUNS_MAX && oldest !== undefined) runs.delete(oldest)
    runs.set(id, { from: at, costUsd: null, message: null })
  }

  const read = (key: Key, event: AnyEvent): void => {
    if (event.hearsay) return
    const runId = event.run ?? null
    const id = `${keyText(key)} ${runId}`
    const run = runs.get(id)
    const place = { key, runId }
    const reportWait = (message: string | null) =>
      message === null ? undefined : onUpdate({ ...place, type: 'notice', kind: 'waiting', message })
    switch (event.type) {
      case 'turn_start':
        return begin(id, event.at)
      case 'usage':
        if (run && event.payload.cost_usd !== undefined) run.costUsd = (run.costUsd ?? 0) + event.payload.cost_usd
        return
      case 'error':
        if (run) run.message = event.payload.message
        return
      case 'approval_required': {
        const { request_id: approvalId, tool_name: subject, child } = event.payload
        // The child session reports its own approval.
        if (child) return
        const fields = requestFields(event.payload)
        const question = fields.kind === 'question' ? questionRequest(fields) : undefined
        return onUpdate({ ...place, type: 'approval', approvalId, subject, ...present({ question }) })
      }
      case 'sandbox_awaited':
        return reportWait(event.payload.reason)
      case 'session_paused':
        return reportWait('paused: prompts wait until it is resumed')
      case 'session_resumed':
        return reportWait('resumed')
      case 'turn_end': {
        runs.delete(id)
        const { from, costUsd = null, message = null } = run ?? {}
        const ms = from === undefined ? null : Math.max(0, event.at - from)
        return onUpdate({ ...place, type: 'end', outcome: event.payload.status, ms, costUsd, message })
      }
    }
    const notice = noticeOf(event)
    if (notice) onUpdate({ type: 'notice', key, runId: notice.runId, kind: notice.kind, message: notice.message })
  }

  return (key, events) => {
    if (isImport(events)) return
    for (const event of events) read(key, event)
  }
}

/** An import is one commit. Its events happened on another server, or close what was open there. */
export const isImport = (events: readonly AnyEvent[]): boolean => events.some(({ type }) => type === 'session_imported')
