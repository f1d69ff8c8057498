// The words of a conversation that `run`, `attach` and `chat` print alike: calls, answers to approvals, and text that is withdrawn.
import { durationText } from '@bridle/words/index'

/** A line for each event shows no shorter time: `0.1 s` behind every call is harder to read. */
const CALL_TIME_SHOWN_MS = 1_000

/** An argument or a result in one line; empty if there is nothing to show. */
export const inlineValue = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '{}' ? '' : text
}

/** The path with folders among the arguments of a call, or null. A row that is too short keeps its end, where the name of the file is. */
export const pathArgument = (args: unknown): string | null => {
  if (typeof args !== 'object' || args === null) return null
  const { file_path: file, path = file } = args as { readonly file_path?: unknown; readonly path?: unknown }
  return typeof path === 'string' && path.includes('/') ? path : null
}

/**
 * `exit 2 · 12 s`: the exit code of a command that failed, and the time if the call took long, or an empty text. The outcome comes from
 * a server, which may be older or newer.
 */
export const outcomeText = (outcome: unknown, shownMs = CALL_TIME_SHOWN_MS): string => {
  const { exit_code: code, elapsed_ms: ms } = (outcome ?? {}) as { readonly [name: string]: unknown }
  return [
    ...(typeof code === 'number' && code !== 0 ? [`exit ${code}`] : []),
    ...(typeof ms === 'number' && ms >= shownMs ? [durationText(ms)] : []),
  ].join(' · ')
}

/** `isElsewhere`: no answer was sent from this terminal. */
export const decisionText = (subject: unknown, decision: unknown, isElsewhere: boolean): string => {
  // The runner asks the call anew, or never again: nobody has answered.
  const outcome = decision === 'superseded' ? 'is no longer asked' : decision
  // Nobody has answered an approval that is cancelled or has expired.
  const isAnswer = decision === 'approved' || decision === 'denied'
  return `${subject} ${outcome}${isElsewhere && isAnswer ? ', elsewhere' : ''}`
}

/** A terminal cannot take text back: the line says after which words the answer goes on. */
export const restartText = (words: string): string =>
  words === '' ? 'The answer starts again:' : `The answer goes on after “${words}”:`
