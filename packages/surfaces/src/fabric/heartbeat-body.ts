// Whitespace, which JSON parsers skip, keeps proxies from timing out until the outcome is known.
import { jsonText } from '../http/answers/json-response.ts'
import { type Denial, denialBody, denialStatus, isDenial } from '../http/denials/denial.ts'
import { faultDenial } from '../http/denials/kernel-denials.ts'
import { STREAM_HEARTBEAT_MS } from '../http/limits.ts'

export interface InvocationEnd {
  readonly status: 200 | 500
  readonly body: object
}

export const heartbeatBody = (
  end: Promise<InvocationEnd | Denial>,
  /** 0 disables heartbeats on sockets; a waiting request still needs them. */
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
        // A heartbeat on a failed body would throw inside the timer, uncaught.
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
      // Compression or buffering in a proxy would hold back the heartbeats.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** The status line is already sent, so the body carries any other status. */
const endText = (end: InvocationEnd | Denial): string => {
  const { status, body } = isDenial(end) ? { status: denialStatus(end), body: denialBody(end) } : end
  return jsonText(status === 200 ? body : { ...body, status })
}
