/** Returns an unsubscribe function. Does nothing outside a page. */
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
