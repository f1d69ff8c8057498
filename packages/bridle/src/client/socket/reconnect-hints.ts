// Signs that the world may be back: the network says so, or somebody looks at the page again.

/** Returns what ends it. Where there is neither window nor page, nothing ever wakes. */
export const onReconnectHint = (wake: () => void): (() => void) => {
  const { document } = globalThis
  const seen = () => document.hidden || wake()
  globalThis.addEventListener?.('online', wake)
  document?.addEventListener?.('visibilitychange', seen)
  return () => {
    globalThis.removeEventListener?.('online', wake)
    document?.removeEventListener?.('visibilitychange', seen)
  }
}
