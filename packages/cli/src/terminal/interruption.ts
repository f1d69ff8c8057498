// The first Ctrl+C asks the command to finish cleanly. A second one ends the process at once.

/** A terminal and npm each pass on the same Ctrl+C; the second signal within this time is an echo. */
const INTERRUPT_ECHO_MS = 500

export interface Interruption {
  readonly signal: AbortSignal
  readonly interrupted: Promise<void>
  /** A program ends the command: no person is there to press another key. */
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
