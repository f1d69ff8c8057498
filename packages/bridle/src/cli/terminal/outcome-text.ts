// The facts of a tool call that people read in a terminal: the exit code of a command that failed, and the time if it took long.
import { durationText } from '../../words/index.ts'
import { CALL_TIME_SHOWN_MS } from '../limits.ts'

/** `exit 2 · 12 s`, or an empty text. The outcome comes from a server, which may be older or newer. */
export const outcomeText = (outcome: unknown, shownMs = CALL_TIME_SHOWN_MS): string => {
  const { exit_code: code, elapsed_ms: ms } = (outcome ?? {}) as { readonly [name: string]: unknown }
  return [
    ...(typeof code === 'number' && code !== 0 ? [`exit ${code}`] : []),
    ...(typeof ms === 'number' && ms >= shownMs ? [durationText(ms)] : []),
  ].join(' · ')
}
