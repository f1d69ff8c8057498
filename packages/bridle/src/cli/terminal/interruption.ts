// Ctrl+C, once, as a signal to leave in good order. The second time the process ends as it always would.

/** A terminal and npm each pass on the same Ctrl+C; the echo is not a second one. */
const ECHO_MS = 500

export interface Interruption {
  readonly signal: AbortSignal
  readonly interrupted: Promise<void>
  readonly dispose: () => void
}

export const listenForInterrupt = (): Interruption => {
  const leave = new AbortController()
  const happened = Promise.withResolvers<void>()
  const forget = () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  const interrupt = () => {
    setTimeout(forget, ECHO_MS).unref()
    leave.abort()
    happened.resolve()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { signal: leave.signal, interrupted: happened.promise, dispose: forget }
}
