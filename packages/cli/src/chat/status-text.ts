// The row above the input line: what the session does, and which key matters now.
import { elapsedText, statusText as statusName } from '@bridle/words/index'
import { cutToColumns, displayWidth } from '../terminal/display-width.ts'

/** A shorter run shows no time: the number would only flicker. */
const ELAPSED_SHOWN_MS = 1_000
/** Columns that a question leaves for its answer. */
const ANSWER_COLUMNS_MIN = 12

export interface ChatStatus {
  readonly isAway: boolean
  readonly isStopping: boolean
  readonly isLeaving: boolean
  /** Approvals that cannot be asked, because there is text in the input line. */
  readonly waitingApprovals: number
  readonly isRunning: boolean
  readonly sessionStatus: string | undefined
  readonly elapsedMs: number | null
}

/** Null = nothing happens, and nothing is to be said. */
export const statusText = (status: ChatStatus): string | null => {
  if (status.isLeaving) return 'Ctrl+C again leaves; the session stays.'
  if (status.isAway) return '… the server is away'
  if (status.waitingApprovals > 0) return '? An approval waits: send or clear this line to answer it.'
  if (status.isStopping) return '… stops'
  if (!status.isRunning) return status.sessionStatus === 'paused' ? '… paused; /resume goes on' : null
  const word = statusName(status.sessionStatus ?? 'running')
  const time =
    status.elapsedMs === null || status.elapsedMs < ELAPSED_SHOWN_MS ? '' : ` ${elapsedText(status.elapsedMs)}`
  return `… ${word}${time} · Esc stops`
}

/** The fate of a prompt that was sent while an answer came; null = it began at once, because the answer had just ended. */
export const deliveryText = (delivery: unknown, isStopped = false): string | null => {
  if (delivery === 'steered') return isStopped ? '· the answer that this steered is stopped' : '· the answer is steered'
  return delivery === 'started' ? null : '· queued: the prompt is the next one, since this agent takes no steering now'
}

/** A question that leaves no room for its answer in a narrow window stands in a row above it. */
export const promptRows = (
  text: string,
  columns: number,
): { readonly above: readonly string[]; readonly prompt: string } =>
  displayWidth(text) + ANSWER_COLUMNS_MIN <= columns
    ? { above: [], prompt: text }
    : { above: [cutToColumns(text.trimEnd(), columns)], prompt: '› ' }
