/** Settles like the work, or rejects when the signal aborts. The work goes on for others, and nobody minds how it ends. */
export const orAbort = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  work.catch(() => {})
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}
