// Drops the rest of an unread body: otherwise the platform would reset the connection, and a client that still sends loses the answer.
import { runClock } from './alarms/object-clock.ts'

/** An unread body is dropped up to this: a file that is sent to the wrong address. A longer one costs its sender the answer. */
const UNREAD_BODY_BYTES_MAX = 64 * 1024 * 1024
/** The largest such body at 50 Mbit/s. A client that announces a body and never sends it gets the answer after this time. */
const UNREAD_BODY_MS = 10_000

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
