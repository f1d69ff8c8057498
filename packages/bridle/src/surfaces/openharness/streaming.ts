// The streaming profile: the text of a run while it is said, and then the message that a request without it gets.

import type { AnyEvent } from '../../kernel/event.ts'
import { type LogPosition, positionText } from '../../kernel/positions/log-position.ts'
import { conversationOperations, emptyConversation } from '../../kernel/projections/conversation.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { CommittedChange, Listener } from '../../kernel/session/subscribers.ts'
import { applyToState } from '../../kernel/state-operations.ts'
import { RESTART_RETRY_MS, STREAM_HEARTBEAT_MS, STREAM_RETRY_MS } from '../http/limits.ts'
import type { AppPorts } from '../http/router/app.ts'
import type { Denial } from '../http/router/denial.ts'
import { parseStreamCursor, sseFrame, streamResponse, streamTimings } from '../http/streams/sse.ts'
import { invalidField } from './errors.ts'
import { type RunPlace, textAfter } from './run-output.ts'
import { type RunAnswer, watchRunAnswer } from './run-watch.ts'
import { shapeText } from './shell.ts'
import type { RequestMessage, ResponseMessage, StreamFrame } from './wire.ts'

/** The place after which a reader wants the stream; null = the request wants no stream. */
export const streamCursorOf = (request: Request, { capabilities }: RequestMessage): StreamCursor | null | Denial => {
  const isCapable = capabilities?.['openharness.streaming']
  const isAccepted = /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '')
  if (!isCapable || !isAccepted) return null
  const cursor = parseStreamCursor(request.headers.get('last-event-id'), undefined)
  if (cursor === undefined) return invalidField('last-event-id', 'Send the id of a frame of this stream.')
  return { position: cursor }
}

export interface StreamCursor {
  /** Null = from the start. */
  readonly position: LogPosition | null
}

export interface TurnStream {
  readonly session: Session
  readonly place: RunPlace
  /** The number of the event before the run's first. */
  readonly since: number
  readonly cursor: StreamCursor
  readonly shellKind: string | undefined
  readonly headers: Headers
  /** The whole message for the shell. */
  readonly finish: (answer: RunAnswer) => Promise<ResponseMessage>
}

/** The run goes on when its reader leaves. A stream without a final frame is not over: the reader sends its request again. */
export const turnStream = (ports: AppPorts, stream: TurnStream): Response => {
  const { session, place, since } = stream
  const { heartbeatMs = STREAM_HEARTBEAT_MS, retryMs = STREAM_RETRY_MS, endAfterMs } = streamTimings(ports)
  const response = streamResponse((sink) => {
    const partials = new PartialText(stream)
    sink.write(`: open\n\nretry: ${retryMs}\n\n`)
    const beat = setInterval(() => sink.write(': beat\n\n'), heartbeatMs)
    const watch = watchRunAnswer(session, place.runId, since)
    let isOver = false
    const leave = () => {
      isOver = true
      clearInterval(beat)
      clearTimeout(timer)
      watch.stop()
      session.subscribers.remove(listener)
    }
    const timer =
      endAfterMs === undefined
        ? undefined
        : setTimeout(() => {
            leave()
            sink.end()
          }, endAfterMs)
    const listener: Listener = {
      audience: { key: `openharness:${streams++}`, encode: (change) => partials.encode(change) },
      send: (text) => {
        partials.confirm()
        sink.write(text)
      },
      unsent: () => sink.unsentBytes(),
      ready: () => sink.drained(),
      close: (why) => {
        if (isOver) return
        // The end of a session's stay here is the watch's to tell.
        if (why !== 'slow') return
        leave()
        sink.disconnect()
      },
    }
    const tell = async (answer: RunAnswer) => {
      if (isOver) return
      leave()
      if (answer.status === 'moved') {
        sink.write(`retry: ${RESTART_RETRY_MS}\n\n`)
      } else {
        const message = await stream.finish(answer)
        sink.write(partials.finalFrames(message))
      }
      sink.end()
    }
    session.subscribers.add(listener, since)
    watch.answer.then(tell).catch(() => sink.disconnect())
    return leave
  })
  for (const [name, value] of stream.headers) response.headers.set(name, value)
  return response
}

let streams = 0

/** The text as the reader has it. Frames follow from the log alone, so that a reader may come back anywhere between two of them. */
class PartialText {
  readonly #stream: TurnStream
  readonly #cursor: number
  #conversation = emptyConversation
  #shown = ''
  #next = ''
  #isPastCursor = false
  #seq: number

  constructor(stream: TurnStream) {
    this.#stream = stream
    const { position } = stream.cursor
    // A reader of another history begins again: its first frame keeps nothing.
    this.#cursor = position && stream.session.canResumeFrom(position) ? position.seq : 0
    this.#seq = this.#cursor
  }

  encode({ events }: CommittedChange): string {
    for (const event of events) this.#fold(event)
    return this.#isPastCursor ? this.#show(this.#text()) : ''
  }

  #fold(event: AnyEvent): void {
    if (event.seq > this.#cursor) this.#passCursor()
    this.#seq = Math.max(this.#seq, event.seq)
    this.#conversation = applyToState(this.#conversation, conversationOperations(this.#conversation, event))
  }

  /** The last frames were sent. A listener that leaves meanwhile is not sent what was encoded for it. */
  confirm(): void {
    this.#shown = this.#next
  }

  #passCursor(): void {
    if (!this.#isPastCursor) this.#shown = this.#text()
    this.#isPastCursor = true
  }

  #text(conversation = this.#conversation): string {
    return shapeText(textAfter(this.#stream.session, this.#stream.place, conversation), this.#stream.shellKind)
  }

  #show(text: string): string {
    const keep = commonLength(this.#shown, text)
    if (keep === text.length && keep === this.#shown.length) return ''
    this.#next = text
    return this.#frame({
      type: 'partial',
      seq: this.#seq,
      action_type: 'render_message',
      keep,
      append: text.slice(keep),
    })
  }

  /** The last frames: after them the reader's text is that of the message. */
  finalFrames(message: ResponseMessage): string {
    this.#passCursor()
    this.#seq = Math.max(this.#seq, this.#stream.session.state.head)
    const texts = (message.response.action_directives ?? [])
      .filter(({ action_type }) => action_type === 'render_message')
      .map(({ payload }) => String(payload?.text ?? ''))
    // An agent may have messages among its directives, too.
    const said = this.#text(this.#stream.session.state.conversation)
    const rest = this.#show(texts.includes(said) ? said : (texts[0] ?? ''))
    return rest + this.#frame({ type: 'final', seq: this.#seq, message })
  }

  #frame(frame: StreamFrame): string {
    return sseFrame(frame, positionText(frame.seq, this.#stream.session.incarnations.own))
  }
}

/** Never in the middle of a character that is a pair: half of one cannot be sent. */
const commonLength = (before: string, after: string): number => {
  if (after.startsWith(before)) return before.length
  let length = 0
  while (length < before.length && before[length] === after[length]) length += 1
  const last = before.charCodeAt(length - 1)
  return length > 0 && last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
