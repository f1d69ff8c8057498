// Drops the rest of an unread body: otherwise the platform would reset the connection, and a client that still sends loses the answer.
import { runClock } from './alarms/object-clock.ts'
import { UNREAD_BODY_BYTES_MAX, UNREAD_BODY_MS } from './limits.ts'

/** Resolves at the end of the body, or when a limit is reached. */
export const dropUnreadBody = async ({ body, headers }: Request): Promise<void> => {
  // The object that the body was passed on to drops it.
  if (!body || body.locked || Number(headers.get('content-length') ?? 0) > UNREAD_BODY_BYTES_MAX) return
  const reader = body.getReader()
  let isLate = false
  const forget = runClock.after(UNREAD_BODY_MS, () => {
    isLate = true
    reader.cancel().catch(() => {})
  })
  try {
    for (let dropped = 0; !isLate && dropped <= UNREAD_BODY_BYTES_MAX; ) {
      const { done, value } = await reader.read()
      if (done) return
      dropped += value.byteLength
    }
  } catch {
    // The client is gone.
  } finally {
    forget()
  }
}
