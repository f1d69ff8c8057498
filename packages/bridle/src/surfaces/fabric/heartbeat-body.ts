// An answer that begins before its outcome is known: white space, which every JSON parser passes over, then the outcome. Proxies see
// a byte now and then, and the caller knows at once which run it is.
import { STREAM_HEARTBEAT_MS } from '../http/limits.ts'
import { type Denial, denialBody, denialStatus, isDenial } from '../http/router/denial.ts'
import { faultDenial } from '../http/router/kernel-denials.ts'

/** The end of a run, as the answer to whoever invoked the agent. */
export interface InvocationEnd {
  readonly status: 200 | 500
  readonly body: object
}

export interface HeartbeatBodyOptions {
  /** A target whose sockets need no beats says 0; a request that waits needs them all the same. */
  readonly heartbeatMs: number | undefined
  /** For `Preference-Applied`. */
  readonly applied: string
  /** The caller is gone: nobody waits for the end any more. */
  readonly leave: () => void
}

export const heartbeatBody = (
  end: Promise<InvocationEnd | Denial>,
  { heartbeatMs, applied, leave }: HeartbeatBodyOptions,
): Response => {
  const encoder = new TextEncoder()
  let beat: ReturnType<typeof setInterval> | undefined
  let isGone = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      const finish = async () => {
        const text = endText(await end.catch(faultDenial))
        clearInterval(beat)
        if (isGone) return
        send(text)
        controller.close()
      }
      send('\n')
      beat = setInterval(() => send('\n'), heartbeatMs || STREAM_HEARTBEAT_MS)
      finish().catch((error: unknown) => {
        // A beat into a body that has failed would throw where nobody catches it.
        clearInterval(beat)
        controller.error(error)
      })
    },
    cancel() {
      isGone = true
      clearInterval(beat)
      leave()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      'preference-applied': applied,
      // A proxy that compresses or buffers the answer keeps the beats from the caller.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** The status of the answer is sent already, so a status other than 200 stands in the body. */
const endText = (end: InvocationEnd | Denial): string => {
  const { status, body } = isDenial(end) ? { status: denialStatus(end), body: denialBody(end) } : end
  return JSON.stringify(status === 200 ? body : { ...body, status })
}
