// Services that hear and speak, for tests: in this process, or at an address. Speech is a tone of 50 ms for each character.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'

/** The recording that a transcription was asked for. */
export interface HeardRecording {
  readonly ms: number
  readonly sampleRate: number
  /** The loudest sample: tests tell speakers apart by it. */
  readonly peak: number
  readonly model: string
  readonly key: string | null
}

export interface SpeechOrder {
  readonly model: string
  readonly voice: string
  readonly input: string
  readonly response_format: string
}

export const STUB_MS_PER_CHAR = 50

const PATHS = ['/audio/transcriptions', '/audio/speech']

export type Reply = () => Response | Promise<Response>

export class SpeechStub {
  /** The words of a recording. */
  transcript: (recording: HeardRecording) => string = () => 'Hello there.'
  readonly heard: HeardRecording[] = []
  readonly spoken: SpeechOrder[] = []
  /** Replies in place of the usual ones, the first to the next request. */
  readonly transcriptionReplies: Reply[] = []
  readonly speechReplies: Reply[] = []
  /** Bytes of a piece of speech: odd, as networks cut it. */
  pieceBytes = 4_801
  /** Requests that are being read. */
  inFlight = 0

  /** The words that were spoken, in order. */
  get words(): readonly string[] {
    return this.spoken.map(({ input }) => input)
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input as string, init as RequestInit)
    const { pathname } = new URL(request.url)
    const path = PATHS.find((each) => pathname.endsWith(each))
    if (!path) return new Response('not here', { status: 404 })
    this.inFlight += 1
    const reply = await (path === '/audio/speech' ? this.#speak(request) : this.#transcribe(request)).finally(() => {
      this.inFlight -= 1
    })
    const answer = await Promise.race([reply(), whenAborted(request.signal)])
    // As with a real connection, an abort ends the body too.
    const body = answer.body?.pipeThrough(new TransformStream(), { signal: request.signal }) ?? null
    return new Response(body, answer)
  }

  /** At an address, for servers under test. */
  async listen(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
    const server = createServer(async (incoming, outgoing) => {
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for await (const piece of incoming as AsyncIterable<Uint8Array<ArrayBuffer>>) pieces.push(piece)
      const body = new Blob(pieces)
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
      const answer = await this.fetch(`http://stub${incoming.url}`, { method: 'POST', headers, body })
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) Readable.fromWeb(answer.body as NodeStream).pipe(outgoing)
      else outgoing.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      close: () => new Promise((resolve) => server.close(() => resolve())),
    }
  }

  async #transcribe(request: Request): Promise<Reply> {
    const form = await request.formData()
    const file = new DataView(await (form.get('file') as Blob).arrayBuffer())
    const sampleRate = file.getUint32(24, true)
    let peak = 0
    for (let at = 44; at < file.byteLength; at += 2) peak = Math.max(peak, Math.abs(file.getInt16(at, true)))
    const recording = {
      ...{ sampleRate, peak, ms: Math.round((file.byteLength - 44) / 2 / (sampleRate / 1000)) },
      ...{ model: String(form.get('model')), key: request.headers.get('authorization') },
    }
    this.heard.push(recording)
    return this.transcriptionReplies.shift() ?? (() => Response.json({ text: this.transcript(recording) }))
  }

  async #speak(request: Request): Promise<Reply> {
    const order = (await request.json()) as SpeechOrder
    this.spoken.push(order)
    const usual = () => speech(order.input.length * STUB_MS_PER_CHAR, this.pieceBytes)
    return this.speechReplies.shift() ?? usual
  }
}

/** So much audio, in pieces. */
export const speech = (ms: number, pieceBytes = 4_801, type = 'audio/pcm'): Response => {
  const audio = new Uint8Array(ms * 48).fill(16)
  let at = 0
  const body = new ReadableStream({
    pull: (controller) => {
      if (at >= audio.length) return controller.close()
      controller.enqueue(audio.slice(at, at + pieceBytes))
      at += pieceBytes
    },
  })
  return new Response(body, { headers: { 'content-type': type } })
}

/** A service that takes a request and never answers it. */
export const noAnswer = (): Promise<Response> => new Promise(() => {})

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
