// Why a run makes no progress, in one sentence for the people who wait.

import type { Payloads } from '@bridle/events/schemas'
import { durationText, plural } from '@bridle/words/amounts'
import type { AnyEvent } from '../event.ts'
import { truncate } from '../text/truncate.ts'

/** Fits on two lines of a terminal. */
export const NOTICE_CHARS_MAX = 300
/** Longer delays are implausible: no provider asks for more than a day. */
const NOTICE_DELAY_MS_MAX = 86_400_000

export interface Notice {
  readonly kind: 'queued' | 'sandbox' | 'retry' | 'fallback' | 'warning'
  readonly runId: string | null
  /** A phrase without a full stop. */
  readonly message: string
  /** Time of the next attempt in ms, if known. */
  readonly retryAt?: number
}

export const noticeOf = (event: AnyEvent): Notice | null => {
  const found = noticeContent(event)
  if (!found) return null
  const runId = event.run ?? ('runId' in found ? found.runId : undefined) ?? null
  const { text, ...rest } = found
  return { ...rest, runId, message: truncate(text.replaceAll(/\s+/g, ' ').trim(), NOTICE_CHARS_MAX) }
}

type NoticeContent = Omit<Notice, 'runId' | 'message'> & { readonly text: string; readonly runId?: string }

const noticeContent = (event: AnyEvent): NoticeContent | null => {
  switch (event.type) {
    case 'prompt_queued': {
      const { ahead = 0, run_id: runId } = event.payload
      return ahead === 0 ? null : { kind: 'queued', runId, text: `queued behind ${plural(ahead, 'run')}` }
    }
    case 'sandbox_notice': {
      const { isolation, resolved_backend } = event.payload
      // In-process work starts at once.
      if (isolation === 'none' || isolation === 'workspace') return null
      return { kind: 'sandbox', text: `starting in the sandbox ${resolved_backend}` }
    }
    case 'retry_scheduled': {
      const { attempt, due, reason } = event.payload
      const text = `${tryingAgain(reason)}${inSeconds(due - event.at)}, attempt ${attempt}`
      return { kind: 'retry', text, retryAt: due }
    }
    case 'transport_diagnostic':
      return diagnosticNotice(event.payload, event.at)
    default:
      return null
  }
}

/** Untyped fields that agents and engines fill in. */
interface RetryFields {
  readonly http_status?: unknown
  readonly max_retries?: unknown
  readonly retry_delay_ms?: unknown
  readonly retry_at?: unknown
}

/** Gateways answer 502 or 504, like this server's relay when no provider answers. */
const statusWords = (status: number): string =>
  status === 502 || status === 504 ? `not reached, ${status}` : `${status}`

const diagnosticNotice = (payload: Payloads['transport_diagnostic'], at: number): NoticeContent | null => {
  const { status, kind, reason, failure_count: count, model_index: index } = payload
  const { provider_requested, provider_actual, model_requested, model_actual } = payload
  const [asked, next] = [model_requested ?? provider_requested, model_actual ?? provider_actual]
  // `sandbox_awaited` covers this.
  if (kind === 'sandbox') return null
  const who = asked ? `${asked}: ` : ''
  const why = withoutName(reason ?? 'it failed')
  switch (status) {
    case 'retrying': {
      const { http_status, max_retries, retry_delay_ms, retry_at } = payload as RetryFields
      const delayMs = believableDelay(
        typeof retry_delay_ms === 'number' ? retry_delay_ms : typeof retry_at === 'number' ? retry_at - at : null,
      )
      const problem = typeof http_status === 'number' ? statusWords(http_status) : why
      const tries =
        count === undefined
          ? ''
          : typeof max_retries === 'number'
            ? `, ${count} of ${max_retries}`
            : `, try ${count + 1}`
      const text = `${who}${tryingAgain(problem)}${inSeconds(delayMs)}${tries}`
      return { kind: 'retry', text, ...(delayMs !== null && { retryAt: at + delayMs }) }
    }
    // Only in older logs.
    case 'fallback':
      return fallbackNotice(asked, next, why)
    case 'compacting':
      return { kind: 'retry', text: `${who}the conversation is too long for the model, making room` }
    case 'degraded':
      if (index !== undefined || (asked && next && asked !== next)) return fallbackNotice(asked, next, why)
      return { kind: 'warning', text: `${who}${sentence(why)}` }
    default:
      return null
  }
}

/** The reason comes last because it may end with a command to copy. */
const fallbackNotice = (
  asked: string | null | undefined,
  next: string | null | undefined,
  why: string,
): NoticeContent => ({
  kind: 'fallback',
  text: `asking ${next ?? 'another model'} instead${asked ? ` of ${asked}` : ''}: ${sentence(why)}`,
})

/** Agents may report any number, and one beyond the range of dates would break every wire. */
const believableDelay = (ms: number | null): number | null =>
  ms !== null && Math.abs(ms) <= NOTICE_DELAY_MS_MAX ? ms : null

/** Strips code and name: `unavailable: "a/b" failed: Nothing answers.` */
const withoutName = (reason: string): string => reason.replace(/^\w+: "[^"]*" failed: /, '')

/** Punctuation depends on whether the reason is a question. */
const tryingAgain = (reason: string): string => {
  const why = sentence(reason)
  return /[?!]$/.test(why) ? `${why} Trying again` : `${why}, trying again`
}

const sentence = (words: string): string => words.trim().replace(/\.$/, '')

const inSeconds = (ms: number | null): string => {
  if (ms === null || ms < 0) return ''
  return ms < 1_000 ? ' at once' : ` in ${durationText(ms)}`
}
