// The first Ctrl+C asks the command to finish cleanly. A second one ends the process at once.
import { INTERRUPT_ECHO_MS } from '../limits.ts'

export interface Interruption {
  readonly signal: AbortSignal
  readonly interrupted: Promise<void>
  readonly dispose: () => void
}

export const listenForInterrupt = (): Interruption => {
  const controller = new AbortController()
  const interrupted = Promise.withResolvers<void>()
  const dispose = () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  const interrupt = () => {
    setTimeout(dispose, INTERRUPT_ECHO_MS).unref()
    controller.abort()
    interrupted.resolve()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { signal: controller.signal, interrupted: interrupted.promise, dispose }
}
