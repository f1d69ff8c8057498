// Signs that a reconnect may succeed now: the network is back, or the page is visible again.

/** Returns the function that stops listening. Without a window or a page there are no hints. */
export const onReconnectHint = (wake: () => void): (() => void) => {
  const { document } = globalThis
  const onVisible = () => document.hidden || wake()
  globalThis.addEventListener?.('online', wake)
  document?.addEventListener?.('visibilitychange', onVisible)
  return () => {
    globalThis.removeEventListener?.('online', wake)
    document?.removeEventListener?.('visibilitychange', onVisible)
  }
}
