// A provider of realtime models on loopback, with the event names of the current API. It keeps every event that it gets.
// A turn ends with `input_audio_buffer.commit`, or, where turns are detected, with as much silence (zeros) as the session says. A
// response says what `plan` has for it.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

/** A turn of the conversation, as the stub plays it. */
export interface StubTurn {
  /** The words of the speaker; null: they cannot be understood. */
  readonly heard?: string | null
  /** The words of the speaker are known after this. */
  readonly heardAfter?: Promise<void>
  /** The words of the answer, a piece of audio for each. */
  readonly says?: string
  readonly call?: { readonly name: string; readonly args?: object; readonly call_id?: string }
  /** The audio of the answer, from which each word takes a piece; absent: silence. */
  readonly audio?: Buffer
  readonly chunkBytes?: number
  readonly chunkMs?: number
  /** The answer stops after so many pieces of audio, until this resolves or the response is cancelled. */
  readonly pause?: { readonly after: number; readonly until: Promise<void> }
  /** Ends the connection after so many pieces of audio. */
  readonly dropsAfter?: number
  /** Ends the connection when everything is said and called, ahead of the end of the response. */
  readonly dropsAtEnd?: true
  /** The response fails with this error. */
  readonly error?: { readonly type: string; readonly code?: string; readonly message: string }
}

// biome-ignore lint/suspicious/noExplicitAny: events of a provider, which tests look into.
export type StubEvent = Record<string, any>

export interface RealtimeStub {
  /** For OPENAI_BASE_URL. */
  readonly url: string
  /** Every event, with the connection that it came on; audio is its length. */
  readonly received: readonly (StubEvent & { readonly connection: number })[]
  readonly upgrades: readonly { readonly url: string; readonly authorization: string | undefined }[]
  /** Connections that are open now. */
  openCount(): number
  /** Events of a type, or those that have these texts in them. */
  events(type: string): readonly StubEvent[]
  /** Ends every connection, as a fault of the provider does. */
  drop(): void
  /** Refuses the next connection, as an overloaded provider does. */
  refuseNext(): void
  close(): Promise<void>
}

export interface StubOptions {
  /** The turn for a response: the n-th of a connection, whose session and conversation are given. */
  readonly plan?: (n: number, session: StubEvent, items: readonly StubEvent[]) => StubTurn
  /** Gets the audio of the speaker. */
  readonly onAudio?: (audio: Buffer) => void
  /** The words of a turn; absent: those of the plan. */
  readonly transcribe?: (audio: Buffer) => string
  /** Ends a connection after so many events, of both sides; absent: never. */
  readonly cutAfter?: (connection: number) => number
  /** The only key that is taken; absent: any. */
  readonly key?: string
  /** The only models that there are; absent: any. */
  readonly models?: readonly string[]
}

/** Audio before the detected speech that belongs to a turn. */
const PADDING_MS = 300

let lastId = 0
const newId = (prefix: string) => {
  lastId += 1
  return `${prefix}_${lastId}`
}

export const startRealtimeStub = async ({
  plan = () => ({}),
  onAudio = () => {},
  key,
  models,
  transcribe,
  cutAfter = () => Number.POSITIVE_INFINITY,
}: StubOptions = {}): Promise<RealtimeStub> => {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  const received: (StubEvent & { connection: number })[] = []
  const upgrades: { url: string; authorization: string | undefined }[] = []
  let refusals = 0
  server.on('upgrade', (request: IncomingMessage, duplex, head) => {
    const { url = '', headers } = request
    upgrades.push({ url, authorization: headers.authorization })
    if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
      duplex.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    if (refusals > 0) {
      refusals -= 1
      duplex.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    const connection = upgrades.length
    const model = new URL(url, 'http://stub').searchParams.get('model') ?? ''
    sockets.handleUpgrade(request, duplex, head, (ws) =>
      serve(
        ws,
        { model, plan, onAudio, transcribe, eventsMax: cutAfter(connection), isModel: models?.includes(model) ?? true },
        (event) => received.push({ ...event, connection }),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    upgrades,
    openCount: () => [...sockets.clients].filter(({ readyState }) => readyState === 1).length,
    events: (type) => received.filter((event) => event.type === type),
    drop: () => {
      for (const client of sockets.clients) client.terminate()
    },
    refuseNext: () => {
      refusals += 1
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface StubSession {
  readonly model: string
  readonly plan: NonNullable<StubOptions['plan']>
  readonly onAudio: (audio: Buffer) => void
  readonly transcribe: StubOptions['transcribe']
  readonly eventsMax: number
  readonly isModel: boolean
}

interface StubResponse {
  cancelReason: string | null
  /** Resolves when the response is cancelled. */
  readonly cancelled: PromiseWithResolvers<void>
}

const cancel = (response: StubResponse, reason: string): void => {
  response.cancelReason = reason
  response.cancelled.resolve()
}

const serve = (
  ws: WebSocket,
  { model, plan, onAudio, transcribe, eventsMax, isModel }: StubSession,
  keep: (event: StubEvent) => void,
): void => {
  let session: StubEvent = { type: 'realtime', object: 'realtime.session', id: newId('sess'), model }
  const items: StubEvent[] = []
  let active: StubResponse | null = null
  let count = 0
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  /** The bytes of all turns so far: times of speech are counted from the start of the connection. */
  let heardBytes = 0
  let isSpeaking = false
  let silentMs = 0
  let events = 0

  const countEvent = () => {
    events += 1
    if (events > eventsMax) ws.terminate()
  }
  const send = (type: string, fields: StubEvent = {}) => {
    if (ws.readyState === 1) ws.send(JSON.stringify({ type, event_id: newId('event'), ...fields }))
    countEvent()
  }
  const fail = (code: string, event?: StubEvent, message = `stub: ${code}`) =>
    send('error', { error: { type: 'invalid_request_error', code, message, event_id: event?.event_id ?? null } })

  if (!isModel) {
    fail('model_not_found', undefined, `The model \`${model}\` does not exist.`)
    ws.close(4000)
    return
  }

  const addItem = (item: StubEvent, previous?: string) => {
    const at = previous === 'root' ? 0 : items.findIndex(({ id }) => id === previous) + 1
    items.splice(previous === undefined ? items.length : at, 0, item)
    send('conversation.item.added', { previous_item_id: previous ?? null, item })
  }

  const commit = () => {
    const audio = Buffer.concat(buffered.splice(0))
    bufferedBytes = 0
    isSpeaking = false
    silentMs = 0
    const item_id = newId('item')
    const { heard = 'spoken words', heardAfter }: StubTurn = transcribe
      ? { heard: transcribe(audio) }
      : plan(count, session, items)
    send('input_audio_buffer.committed', { previous_item_id: items.at(-1)?.id ?? null, item_id })
    const item = { id: item_id, type: 'message', role: 'user', content: [{ type: 'input_audio', transcript: '' }] }
    addItem(item)
    if (heardAfter) void heardAfter.then(() => writeDown(item, heard))
    else writeDown(item, heard)
  }

  const writeDown = ({ id, content: [audio] }: StubEvent, heard: string | null) => {
    const at = { item_id: id, content_index: 0 }
    if (heard === null)
      return send('conversation.item.input_audio_transcription.failed', {
        ...at,
        error: { type: 'transcription_error', code: 'audio_unintelligible', message: 'The audio is unintelligible.' },
      })
    audio.transcript = heard
    send('conversation.item.input_audio_transcription.completed', {
      ...at,
      transcript: heard,
      usage: { type: 'duration', seconds: 1 },
    })
  }

  const hear = (audio: Buffer) => {
    const detection = session.audio?.input?.turn_detection
    const bytesPerMs = session.audio?.input?.format?.type === 'audio/pcm' ? 48 : 8
    bufferedBytes += audio.length
    const startMs = heardBytes / bytesPerMs
    heardBytes += audio.length
    onAudio(audio)
    if (transcribe) buffered.push(audio)
    if (!detection) return
    if (audio.some((byte) => byte !== 0)) {
      silentMs = 0
      if (isSpeaking) return
      isSpeaking = true
      send('input_audio_buffer.speech_started', {
        audio_start_ms: Math.max(0, startMs - PADDING_MS),
        item_id: newId('item'),
      })
      if (active && detection.interrupt_response !== false) cancel(active, 'turn_detected')
      return
    }
    silentMs += audio.length / bytesPerMs
    if (!isSpeaking || silentMs < (detection.silence_duration_ms ?? 500)) return
    send('input_audio_buffer.speech_stopped', { audio_end_ms: heardBytes / bytesPerMs, item_id: newId('item') })
    commit()
    if (detection.create_response !== false) void respond({})
  }

  const speak = async (turn: StubTurn, response: StubResponse, response_id: string): Promise<StubEvent | null> => {
    const item_id = newId('item')
    const at = { response_id, item_id, output_index: 0, content_index: 0 }
    const item = { id: item_id, type: 'message', role: 'assistant', status: 'in_progress', content: [] as StubEvent[] }
    send('response.output_item.added', { response_id, output_index: 0, item })
    addItem(item)
    send('response.content_part.added', { ...at, part: { type: 'audio', transcript: '' } })
    const isWritten = session.output_modalities?.[0] === 'text'
    let said = ''
    let pieces = 0
    for (const word of (turn.says ?? 'hello from the stub').split(/(?<= )/)) {
      if (turn.dropsAfter === pieces) {
        ws.terminate()
        return null
      }
      if (turn.pause?.after === pieces) await Promise.race([turn.pause.until, response.cancelled.promise])
      if (response.cancelReason !== null) break
      const bytes = turn.chunkBytes ?? 4800
      const audio = turn.audio?.subarray(pieces * bytes, (pieces + 1) * bytes) ?? Buffer.alloc(bytes)
      said += word
      pieces += 1
      if (isWritten) send('response.output_text.delta', { ...at, delta: word })
      else {
        send('response.output_audio_transcript.delta', { ...at, delta: word })
        send('response.output_audio.delta', { ...at, delta: audio.toString('base64') })
      }
      await sleep(turn.chunkMs ?? 1)
    }
    // The service sends these when a response is cancelled, too: the transcript is what it made so far.
    if (isWritten) send('response.output_text.done', { ...at, text: said })
    else {
      send('response.output_audio.done', at)
      send('response.output_audio_transcript.done', { ...at, transcript: said })
    }
    send('response.content_part.done', { ...at, part: { type: 'audio', transcript: said } })
    item.content = [{ type: 'output_audio', transcript: said }]
    return { ...item, status: response.cancelReason === null ? 'completed' : 'incomplete' }
  }

  const call = ({ name, args = {}, call_id = newId('call') }: NonNullable<StubTurn['call']>, response_id: string) => {
    const text = JSON.stringify(args)
    const item = { id: newId('item'), type: 'function_call', status: 'completed', name, call_id, arguments: text }
    const at = { response_id, item_id: item.id, output_index: 0, call_id }
    send('response.output_item.added', {
      response_id,
      output_index: 0,
      item: { ...item, status: 'in_progress', arguments: '' },
    })
    addItem(item)
    send('response.function_call_arguments.delta', { ...at, delta: text })
    send('response.function_call_arguments.done', { ...at, name, arguments: text })
    return item
  }

  const respond = async (request: StubEvent): Promise<void> => {
    const { conversation, metadata = null } = request.response ?? {}
    const isAside = conversation === 'none'
    if (active && !isAside) return fail('conversation_already_has_active_response', request)
    const turn = isAside ? { says: 'One moment please.' } : plan(count, session, items)
    const response: StubResponse = { cancelReason: null, cancelled: Promise.withResolvers() }
    if (!isAside) {
      count += 1
      active = response
    }
    const id = newId('resp')
    const base = { id, object: 'realtime.response', metadata }
    send('response.created', { response: { ...base, status: 'in_progress', output: [] } })
    const output: StubEvent[] = []
    if (turn.says !== undefined || !(turn.call || turn.error)) {
      const spoken = await speak(turn, response, id)
      if (!spoken) return
      output.push(spoken)
    }
    if (turn.call && response.cancelReason === null) output.push(call(turn.call, id))
    for (const item of output) send('response.output_item.done', { response_id: id, output_index: 0, item })
    if (turn.dropsAtEnd) return ws.terminate()
    if (!isAside) active = null
    const status = turn.error ? 'failed' : response.cancelReason === null ? 'completed' : 'cancelled'
    const reason = response.cancelReason
    send('response.done', {
      response: {
        ...base,
        status,
        status_details: turn.error ? { type: status, error: turn.error } : reason && { type: status, reason },
        output,
        usage: USAGE,
      },
    })
  }

  const handlers: Record<string, (event: StubEvent) => void> = {
    'session.update': (event) => {
      session = { ...session, ...event.session }
      send('session.updated', { session })
    },
    'input_audio_buffer.append': ({ audio }) => hear(Buffer.from(audio, 'base64')),
    'input_audio_buffer.clear': () => {
      buffered = []
      bufferedBytes = 0
      send('input_audio_buffer.cleared')
    },
    'input_audio_buffer.commit': (event) =>
      bufferedBytes === 0 ? fail('input_audio_buffer_commit_empty', event) : commit(),
    'conversation.item.create': ({ item, previous_item_id }) => {
      const added = { id: newId('item'), status: 'completed', ...item }
      addItem(added, previous_item_id)
      send('conversation.item.done', { previous_item_id: previous_item_id ?? null, item: added })
    },
    'conversation.item.delete': (event) => {
      const at = items.findIndex(({ id }) => id === event.item_id)
      if (at < 0) return fail('item_delete_invalid_item_id', event)
      items.splice(at, 1)
      send('conversation.item.deleted', { item_id: event.item_id })
    },
    'conversation.item.retrieve': (event) => {
      const item = items.find(({ id }) => id === event.item_id)
      if (item) send('conversation.item.retrieved', { item })
      else fail('item_retrieve_invalid_item_id', event)
    },
    'conversation.item.truncate': ({ item_id, content_index, audio_end_ms }) =>
      send('conversation.item.truncated', { item_id, content_index, audio_end_ms }),
    'response.create': (event) => void respond(event),
    'response.cancel': (event) => {
      if (active) cancel(active, 'client_cancelled')
      else fail('response_cancel_not_active', event)
    },
  }

  ws.on('message', (raw) => {
    countEvent()
    if (ws.readyState !== 1) return
    const event = JSON.parse(String(raw)) as StubEvent
    keep(event.type === 'input_audio_buffer.append' ? { ...event, audio: event.audio.length } : event)
    const handler = handlers[event.type]
    if (handler) handler(event)
    else fail('unknown_event', event)
  })
  send('session.created', { session })
}

const USAGE = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  input_token_details: { text_tokens: 5, audio_tokens: 15, cached_tokens: 0 },
  output_token_details: { text_tokens: 2, audio_tokens: 8 },
}
