// An answer that begins before its outcome is known: white space, which every JSON parser passes over, then the outcome. Proxies see
// a byte now and then, and the caller knows at once which run it is.
import type { AppPorts } from '../http/app.ts'
import { faulted } from '../http/errors.ts'
import { HEARTBEAT_MS } from '../http/sse.ts'

export const heartbeatBody = (
  outcome: Promise<Response>,
  { ports: { clock, heartbeatMs }, applied }: { readonly ports: AppPorts; readonly applied: string },
): Response => {
  const encoder = new TextEncoder()
  let forget = () => {}
  let isGone = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => {
        controller.enqueue(encoder.encode('\n'))
        // A target whose sockets need no beats says 0; a request that waits needs them all the same.
        forget = clock.after(heartbeatMs || HEARTBEAT_MS, beat)
      }
      beat()
      const finish = async () => {
        const text = await bodyOf(await outcome.catch(faulted))
        forget()
        if (isGone) return
        controller.enqueue(encoder.encode(text))
        controller.close()
      }
      finish().catch((error: unknown) => controller.error(error))
    },
    cancel: () => {
      isGone = true
      forget()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      'preference-applied': applied,
      // Who compresses or buffers it keeps the beats from the caller.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** The status has been sent: one that is not 200 stands in the body. */
const bodyOf = async (end: Response): Promise<string> => {
  if (end.status === 200) return end.text()
  const body = (await end.json()) as object
  return JSON.stringify({ ...body, status: end.status })
}
