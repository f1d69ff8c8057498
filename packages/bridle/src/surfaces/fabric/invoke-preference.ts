// How long a caller wants to wait for a run, as `Prefer` says it.

export interface InvokePreference {
  /** Null = to the end of the run; 0 = not at all. */
  readonly waitMs: number | null
  /** The caller understands an answer that begins before the outcome is known. */
  readonly heartbeat: boolean
  /** For `Preference-Applied`. */
  readonly applied: string
}

/** A day: a timer that is set for longer than 24.8 days would fire at once. */
const WAIT_SECONDS_MAX = 86_400

/** `respond-async`, `wait=<seconds>`, both, or `heartbeat`; whatever else stands there is for others. */
export const parsePreference = (prefer: string | null): InvokePreference => {
  const wishes = (prefer ?? '').split(',').map((wish) => wish.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const isAsync = wishes.includes('respond-async')
  const wait = wishes.map((wish) => /^wait="?(\d{1,9})"?$/.exec(wish)?.[1]).find((seconds) => seconds !== undefined)
  const seconds = wait === undefined ? null : Math.min(Number(wait), WAIT_SECONDS_MAX)
  const waitMs = seconds === null ? (isAsync ? 0 : null) : seconds * 1_000
  const heartbeat = waitMs === null && wishes.includes('heartbeat')
  const parts = [...(isAsync ? ['respond-async'] : []), ...(seconds === null ? [] : [`wait=${seconds}`])]
  return { waitMs, heartbeat, applied: heartbeat ? 'heartbeat' : parts.join(', ') }
}
