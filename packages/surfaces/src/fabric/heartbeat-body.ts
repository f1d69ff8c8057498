// An answer that begins before the run has ended: white space, which every JSON parser skips, then the outcome. Proxies see a byte
// now and then, and the caller has the headers with the id of the run at once.
import { jsonText } from '../http/answers/json-response.ts'
import { type Denial, denialBody, denialStatus, isDenial } from '../http/denials/denial.ts'
import { faultDenial } from '../http/denials/kernel-denials.ts'
import { STREAM_HEARTBEAT_MS } from '../http/limits.ts'

export interface InvocationEnd {
  readonly status: 200 | 500
  readonly body: object
}

/** `applied` is for `Preference-Applied`; `leave` is called when the caller has left. */
export const heartbeatBody = (
  end: Promise<InvocationEnd | Denial>,
  /** 0 means that sockets need no heartbeats; a waiting request needs them still. */
  heartbeatMs: number | undefined,
  applied: string,
  leave: () => void,
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
        // A heartbeat into a failed body would throw in the timer, where nothing catches it.
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
      // A proxy that compresses or buffers the answer would hold back the heartbeats.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** The status line was sent before, so a status other than 200 is in the body. */
const endText = (end: InvocationEnd | Denial): string => {
  const { status, body } = isDenial(end) ? { status: denialStatus(end), body: denialBody(end) } : end
  return jsonText(status === 200 ? body : { ...body, status })
}
