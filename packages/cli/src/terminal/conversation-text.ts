import { durationText } from '@bridle/words/index'

/** Shorter times would clutter every line. */
const CALL_TIME_SHOWN_MS = 1_000

export const inlineValue = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '{}' ? '' : text
}

/** The path with folders among a call's arguments, or null. It is truncated at the start, to keep the file name. */
export const pathArgument = (args: unknown): string | null => {
  if (typeof args !== 'object' || args === null) return null
  const { file_path: file, path = file } = args as { readonly file_path?: unknown; readonly path?: unknown }
  return typeof path === 'string' && path.includes('/') ? path : null
}

/** `exit 2 · 12 s`: a failed command's exit code, and the time of a slow call. Accepts outcomes of older and newer servers. */
export const outcomeText = (outcome: unknown, shownMs = CALL_TIME_SHOWN_MS): string => {
  const { exit_code: code, elapsed_ms: ms } = (outcome ?? {}) as { readonly [name: string]: unknown }
  return [
    ...(typeof code === 'number' && code !== 0 ? [`exit ${code}`] : []),
    ...(typeof ms === 'number' && ms >= shownMs ? [durationText(ms)] : []),
  ].join(' · ')
}

/** `isElsewhere`: answered from another terminal. */
export const decisionText = (subject: unknown, decision: unknown, isElsewhere: boolean): string => {
  // The runner asks again or never. There is no answer.
  const outcome = decision === 'superseded' ? 'is no longer asked' : decision
  // A cancelled or expired approval has no answer.
  const isAnswer = decision === 'approved' || decision === 'denied'
  return `${subject} ${outcome}${isElsewhere && isAnswer ? ', elsewhere' : ''}`
}

/** A terminal cannot withdraw text, so the line quotes the words before the new part. */
export const restartText = (words: string): string =>
  words === '' ? 'The answer starts again:' : `The answer goes on after “${words}”:`
