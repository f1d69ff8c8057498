// How long a caller waits for a run, from the `Prefer` header.
import { WAIT_SECONDS_MAX } from './limits.ts'

export interface InvokePreference {
  /** Null = until the end of the run; 0 = not at all. */
  readonly waitMs: number | null
  /** The caller understands an answer that begins before the outcome is known. */
  readonly heartbeat: boolean
  /** For `Preference-Applied`. */
  readonly applied: string
}

/** `respond-async`, `wait=<seconds>`, both, or `heartbeat`; other preferences are ignored. */
export const parsePreference = (prefer: string | null): InvokePreference => {
  const preferences = (prefer ?? '')
    .split(',')
    .map((preference) => preference.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const isAsync = preferences.includes('respond-async')
  const wait = preferences
    .map((preference) => /^wait="?(\d{1,9})"?$/.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined)
  const seconds = wait === undefined ? null : Math.min(Number(wait), WAIT_SECONDS_MAX)
  const waitMs = seconds === null ? (isAsync ? 0 : null) : seconds * 1_000
  const heartbeat = waitMs === null && preferences.includes('heartbeat')
  const parts = [...(isAsync ? ['respond-async'] : []), ...(seconds === null ? [] : [`wait=${seconds}`])]
  return { waitMs, heartbeat, applied: heartbeat ? 'heartbeat' : parts.join(', ') }
}
