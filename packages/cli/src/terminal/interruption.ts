// The first Ctrl+C stops the command cleanly, the second one immediately.

/** The terminal and npm both forward Ctrl+C. A signal within this time is an echo. */
const INTERRUPT_ECHO_MS = 500

/** An ordinary key in raw mode. */
export const CTRL_C = '\u0003'

export interface Interruption {
  readonly signal: AbortSignal
  readonly interrupted: Promise<void>
  /** The signal came from a program, so no further key is awaited. */
  readonly isTerminated: () => boolean
  readonly dispose: () => void
}

export const listenForInterrupt = (): Interruption => {
  const controller = new AbortController()
  const interrupted = Promise.withResolvers<void>()
  let isTerminated = false
  const dispose = () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  const interrupt = (name: NodeJS.Signals) => {
    isTerminated ||= name === 'SIGTERM'
    setTimeout(dispose, INTERRUPT_ECHO_MS).unref()
    controller.abort()
    interrupted.resolve()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { signal: controller.signal, interrupted: interrupted.promise, isTerminated: () => isTerminated, dispose }
}
