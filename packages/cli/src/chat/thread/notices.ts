// Events outside the conversation that matter to someone waiting: retries, sandboxes, budgets, actions of others.

import type { AnyEvent } from '@bridle/kernel/event'
import { noticeOf } from '@bridle/kernel/views/notice'
import { eventText } from '@bridle/words/index'
import { escapeControls } from '../../terminal/output.ts'

export interface NoticeEnvelope {
  readonly type: string
  readonly timestamp: string
  readonly payload: { readonly [name: string]: unknown }
}

/** Null if the conversation shows the event or it does not matter. */
export const noticeText = (envelope: NoticeEnvelope): string | null => {
  const { type, payload } = envelope
  const text = Object.hasOwn(notices, type) ? notices[type]?.(payload, envelope) : null
  return text ? escapeControls(text.replace(/\s+/g, ' ').trim()) : null
}

/** Omits repetitions: every turn reports where it runs, but only changes matter. */
export const noticeReader = (): ((envelope: NoticeEnvelope) => string | null) => {
  let place: string | null = null
  return (envelope) => {
    const text = noticeText(envelope)
    if (envelope.type !== 'sandbox_notice' || text === null) return text
    const isKnown = text === place
    place = text
    return isKnown ? null : text
  }
}

type NoticeWriter = (payload: NoticeEnvelope['payload'], envelope: NoticeEnvelope) => string | null

const waitReason: NoticeWriter = (payload, { type, timestamp }) =>
  noticeOf({ type, payload, at: Date.parse(timestamp) } as unknown as AnyEvent)?.message ?? null

const words: NoticeWriter = (payload, { type, timestamp }) => eventText(type, payload, Date.parse(timestamp))

const notices: { readonly [type: string]: NoticeWriter } = {
  // In-process agents have no sandbox, and the chat already said where a workspace agent works.
  sandbox_notice: (payload, envelope) =>
    payload.resolved_backend === 'in_process' || payload.resolved_backend === 'task_workspace'
      ? null
      : words(payload, envelope),
  transport_diagnostic: (payload, envelope) => {
    if (payload.kind !== 'sandbox') return waitReason(payload, envelope)
    return payload.status === 'waiting' && typeof payload.reason === 'string' ? payload.reason : null
  },
  retry_scheduled: waitReason,
  context_warning: words,
  budget_crossed: words,
  session_paused: words,
  session_resumed: words,
  policy_set: words,
  signal_received: words,
  step_progress: words,
}
