// The provider of the voice benchmark in a separate process: it keeps nothing, checks the audio that it hears, and answers in real time.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { serveCalls } from './child.ts'
import { listen } from './fanout-world.ts'
import {
  ANSWER_PIECE_MS,
  AudioEar,
  answerPieces,
  pieceBytes,
  SPEAKER_PIECE_MS,
  speakInPace,
  stampedPiece,
} from './voice-audio.ts'

/** A response that was asked for, and that is spoken when the benchmark says so. */
interface PendingResponse {
  readonly send: (type: string, fields: object) => void
  readonly id: string
}

const APPEND = Buffer.from('{"type":"input_audio_buffer.append","audio":"')
const ear = new AudioEar()
let responses: PendingResponse[] = []
let lastId = 0
const newId = () => `id_${++lastId}`

const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket: WebSocket) => {
  const send = (type: string, fields: object) => socket.send(JSON.stringify({ type, event_id: newId(), ...fields }))
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const bytes = data as Buffer
    // The least work: both servers send these bytes, and the machine is theirs.
    if (bytes.subarray(0, APPEND.length).equals(APPEND)) {
      const base64 = bytes.toString('latin1', APPEND.length, bytes.length - 2)
      return ear.hear(socket, Buffer.from(base64, 'base64'), pieceBytes(SPEAKER_PIECE_MS))
    }
    const event = JSON.parse(String(bytes)) as { type: string }
    if (event.type !== 'response.create') return
    const id = newId()
    send('response.created', { response: { id, status: 'in_progress', output: [] } })
    responses.push({ send, id })
  })
  send('session.created', { session: { type: 'realtime', id: newId() } })
})
const port = listen(server)

/** Speaks every answer that was asked for, and ends each after its last piece. With words, some pieces have their part of the text. */
const answer = async ({ seconds, words }: { seconds: number; words: boolean }): Promise<void> => {
  const bytes = pieceBytes(ANSWER_PIECE_MS)
  const all = responses.map((response) => ({ ...response, item: newId() }))
  responses = []
  for (const { send, id, item } of all)
    send('response.output_item.added', {
      response_id: id,
      item: { id: item, type: 'message', role: 'assistant', content: [] },
    })
  await speakInPace(all.length, { seconds, pieceMs: ANSWER_PIECE_MS }, (index, piece) => {
    const last = answerPieces(index, all.length, seconds) - 1
    if (piece > last) return
    const { send, id, item } = all[index]!
    const at = { response_id: id, item_id: item, output_index: 0, content_index: 0 }
    if (words && piece % PIECES_PER_WORD === 0)
      send('response.output_audio_transcript.delta', { ...at, delta: `w${piece} ` })
    send('response.output_audio.delta', { ...at, delta: stampedPiece(bytes, piece).toString('base64') })
    if (piece < last) return
    if (!words) send('response.output_audio_transcript.delta', { ...at, delta: 'Done.' })
    send('response.output_audio.done', at)
    send('response.done', { response: { id, status: 'completed', output: [], usage: { input_tokens: 9 } } })
  })
}
/** People say about three words a second. */
const PIECES_PER_WORD = 3

const waitFor = async (isThere: () => boolean): Promise<void> => {
  for (let left = 3_000; !isThere() && left > 0; left--) await sleep(10)
}

serveCalls({
  port: () => port,
  /** Resolves when so many answers were asked for. */
  asked: (count: number) => waitFor(() => responses.length >= count),
  answer,
  heard: async (pieces: number) => {
    await waitFor(() => ear.pieces >= pieces)
    return ear.take()
  },
})
