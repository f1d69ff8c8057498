// Ctrl+C, once, as a signal to leave in good order. The second time the process ends as it always would.

export interface Interruption {
  readonly signal: AbortSignal
  readonly happened: Promise<void>
  readonly forget: () => void
}

export const interruption = (): Interruption => {
  const leave = new AbortController()
  const happened = Promise.withResolvers<void>()
  const forget = () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  const interrupt = () => {
    forget()
    leave.abort()
    happened.resolve()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { signal: leave.signal, happened: happened.promise, forget }
}
