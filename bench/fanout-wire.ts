// Parses the bytes of a fan-out server: WebSocket frames, server-sent events in HTTP chunks, socket.io's messages.
import type { BenchWire } from './fanout-reply.ts'

/** A piece of the reply, the offset where its frame ends in the stream, and the size of the frame. */
export interface TextDelta {
  readonly delta: string
  readonly end: number
  readonly bytes: number
}

export const deltasOf = (wire: BenchWire, body: Buffer): TextDelta[] => {
  const messages = wire === 'sse' ? eventMessages(body) : frameMessages(body)
  const read = wire === 'socket.io' ? socketIoDelta : jsonDelta
  return messages.flatMap(({ text, end, bytes }) => {
    const delta = read(text)
    return delta === null ? [] : [{ delta, end, bytes }]
  })
}

interface WireFrame {
  readonly text: string
  readonly end: number
  readonly bytes: number
}

/** Unmasked frames of one message each. An incomplete frame at the end does not count. */
const frameMessages = (body: Buffer): WireFrame[] => {
  const messages: WireFrame[] = []
  for (let at = 0; at + 2 <= body.length; ) {
    const short = body[at + 1]! & 0x7f
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    if (at + head > body.length) break
    const size = short < 126 ? short : short === 126 ? body.readUInt16BE(at + 2) : Number(body.readBigUInt64BE(at + 2))
    const end = at + head + size
    if (end > body.length) break
    if ((body[at]! & 0x0f) === 1) messages.push({ text: body.toString('utf8', at + head, end), end, bytes: end - at })
    at = end
  }
  return messages
}

/** Events may span chunks. An event ends where its last chunk ends, and its size is the sum of what the chunks add. */
const eventMessages = (body: Buffer): WireFrame[] => {
  const messages: WireFrame[] = []
  let text = ''
  let counted = 0
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\r\n', at)
    const size = line < 0 ? Number.NaN : Number.parseInt(body.toString('latin1', at, line), 16)
    const end = line + 2 + size + 2
    if (!(size > 0) || end > body.length) break
    text += body.toString('utf8', line + 2, end - 2)
    const events = text.split('\n\n')
    text = events.pop()!
    for (const [index, event] of events.entries()) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1]
      const bytes = index === events.length - 1 ? end - counted - Buffer.byteLength(text) : event.length + 2
      counted += bytes
      if (data !== undefined) messages.push({ text: data, end, bytes })
    }
    at = end
  }
  return messages
}

/** The text in a message of each server. The AI SDK ends its stream with `[DONE]`. */
const jsonDelta = (text: string): string | null => {
  if (text === '[DONE]') return null
  const message = JSON.parse(text) as DeltaEvent | readonly DeltaEvent[]
  // Durable streams send in one event everything that arrived together.
  return Array.isArray(message) ? message.map(eventDelta).join('') : eventDelta(message as DeltaEvent)
}

const eventDelta = (message: DeltaEvent): string | null => {
  if (message.type === 'TEXT_MESSAGE_CONTENT' || message.type === 'text-delta') return message.delta ?? null
  const event = message.type === 'event' ? message.event! : message
  return event.type === 'text_delta' ? (event.data?.delta ?? null) : null
}
interface DeltaEvent {
  readonly type: string
  readonly delta?: string
  readonly data?: { readonly delta?: string }
  readonly event?: DeltaEvent
}

const socketIoDelta = (text: string): string | null => {
  if (!text.startsWith('42')) return null
  const [, data] = JSON.parse(text.slice(2)) as [string, { delta: string }]
  return data.delta
}

/** A short text as a client sends it; the mask may be zero. */
export const maskedText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]), Buffer.from(text)])
