// News of runs, from committed events, for a person at the server's terminal: how each ended, and why one waits.
import { present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import { questionRequest, requestFields } from '@bridle/kernel/question-request'
import { type Notice, noticeOf } from '@bridle/kernel/views/notice'

/** Runs whose start is remembered for the line about their end; beyond it the oldest loses its time. */
export const WATCHED_RUNS_MAX = 10_000

interface RunPlace {
  /** The session: tenant, agent and id. */
  readonly key: Key
  readonly runId: string | null
}

/** News of a run. */
export type RunUpdate =
  | (RunPlace & { readonly type: 'notice'; readonly kind: Notice['kind'] | 'waiting'; readonly message: string })
  /** The run waits for a person. */
  | (RunPlace & {
      readonly type: 'approval'
      readonly approvalId: string
      readonly subject: string
      /** Absent: the approval is not a question. */
      readonly question?: QuestionRequest
    })
  | (RunPlace & {
      readonly type: 'end'
      readonly outcome: 'completed' | 'failed' | 'cancelled'
      /** Null: the run began in an earlier process. */
      readonly ms: number | null
      /** US dollars; null: nothing is known of a cost. */
      readonly costUsd: number | null
      /** Why the run failed. */
      readonly message: string | null
    })

/** A reader of commits that calls `onUpdate`. */
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
        // The session that asks says so itself.
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

/** The commit of an import: its events happened on another server, or ended what was open there. An import is one commit. */
export const isImport = (events: readonly AnyEvent[]): boolean => events.some(({ type }) => type === 'session_imported')
