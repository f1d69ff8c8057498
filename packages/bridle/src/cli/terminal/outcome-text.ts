// The facts of a tool call that people read in a terminal: the exit code of a command that failed, and the time if it took long.
import { durationText } from '../../words/index.ts'

/** A line for each event shows no shorter time: `0.1 s` behind every call is harder to read. */
const SHOWN_MS = 1_000

/** `exit 2 · 12 s`, or an empty text. The outcome comes from a server, which may be older or newer. */
export const outcomeText = (outcome: unknown, shownMs = SHOWN_MS): string => {
  const { exit_code: code, elapsed_ms: ms } = (outcome ?? {}) as { readonly [name: string]: unknown }
  return [
    ...(typeof code === 'number' && code !== 0 ? [`exit ${code}`] : []),
    ...(typeof ms === 'number' && ms >= shownMs ? [durationText(ms)] : []),
  ].join(' · ')
}
