// The speakers of the voice benchmark, all in one process: they speak and listen at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { serveCalls } from './child.ts'
import { ANSWER_PIECE_MS, AudioEar, pieceBytes, SPEAKER_PIECE_MS, speakInPace, stampedPiece } from './voice-audio.ts'

let speakers: WebSocket[] = []
const ear = new AudioEar()
/** Concurrent handshakes: each of them makes a handshake with the provider, too. */
const CONNECTING = 20
/** People do not hang up all at once; the server has work with each of them, then and when it gives up waiting for them. */
const HANGING_UP = 10
const HANG_UP_MS = 25

const dial = (url: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.on('error', reject)
    socket.on('close', (code, reason) => reject(new Error(`Closed: ${code} ${reason}`)))
    socket.on('message', (data, isBinary) => {
      if (isBinary) return ear.hear(socket, data as Buffer, pieceBytes(ANSWER_PIECE_MS))
      const message = JSON.parse(String(data)) as { type: string; message?: string }
      if (message.type === 'error') return reject(new Error(message.message))
      if (message.type !== 'session_open') return
      // The answer to it is spoken when the benchmark says so.
      socket.send(JSON.stringify({ type: 'text', text: 'Tell me a story.' }))
      resolve(socket)
    })
  })

serveCalls({
  connect: async (urls: readonly string[]) => {
    for (let at = 0; at < urls.length; at += CONNECTING)
      speakers.push(...(await Promise.all(urls.slice(at, at + CONNECTING).map(dial))))
  },
  speak: async ({ seconds }: { seconds: number }) => {
    const bytes = pieceBytes(SPEAKER_PIECE_MS)
    await speakInPace(speakers.length, { seconds, pieceMs: SPEAKER_PIECE_MS }, (index, piece) =>
      speakers[index]!.send(stampedPiece(bytes, piece)),
    )
  },
  heard: async (pieces: number) => {
    for (let left = 3_000; ear.pieces < pieces && left > 0; left--) await sleep(10)
    return ear.take()
  },
  leave: async () => {
    for (let at = 0; at < speakers.length; at += HANGING_UP) {
      for (const socket of speakers.slice(at, at + HANGING_UP)) socket.close()
      await sleep(HANG_UP_MS)
    }
    speakers = []
  },
})
