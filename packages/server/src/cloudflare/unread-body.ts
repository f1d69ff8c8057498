// Drain an unread body. Otherwise the platform resets the connection, and a client that is still sending loses the response.
import { runClock } from './alarms/object-clock.ts'

/** A file sent to the wrong address. The sender of a longer body loses the response. */
const UNREAD_BODY_BYTES_MAX = 64 * 1024 * 1024
/** The largest such body at 50 Mbit/s. Also bounds the wait for a body that never arrives. */
const UNREAD_BODY_MS = 10_000

export const dropUnreadBody = async ({ body, headers }: Request): Promise<void> => {
  // The object that received the body drains it.
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
