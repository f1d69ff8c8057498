import { elapsedText, statusText as statusName } from '@bridle/words/index'
import { cutToColumns, displayWidth } from '../terminal/display-width.ts'

/** Showing shorter durations would flicker. */
const ELAPSED_SHOWN_MS = 1_000
/** Room that a question leaves for its answer. */
const ANSWER_COLUMNS_MIN = 12

export interface ChatStatus {
  readonly isAway: boolean
  readonly isStopping: boolean
  readonly isLeaving: boolean
  readonly waitingApprovals: number
  readonly isRunning: boolean
  readonly sessionStatus: string | undefined
  readonly elapsedMs: number | null
}

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

/** The outcome of a prompt sent during an answer. Null: it started immediately, because the answer had just ended. */
export const deliveryText = (delivery: unknown, isStopped = false): string | null => {
  if (delivery === 'steered') return isStopped ? '· the answer that this steered is stopped' : '· the answer is steered'
  return delivery === 'started' ? null : '· queued: the prompt is the next one, since this agent takes no steering now'
}

/** Moves a question to a row of its own if it leaves no room for the answer. */
export const promptRows = (
  text: string,
  columns: number,
): { readonly above: readonly string[]; readonly prompt: string } =>
  displayWidth(text) + ANSWER_COLUMNS_MIN <= columns
    ? { above: [], prompt: text }
    : { above: [cutToColumns(text.trimEnd(), columns)], prompt: '› ' }
