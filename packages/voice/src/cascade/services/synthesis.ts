import { AUDIO_BYTES_PER_MS } from '@bridle/kernel/ports/voice'
import { startPatience } from './patience.ts'
import {
  bodyOf,
  failureOf,
  post,
  type ServicePorts,
  type SpeechService,
  unreadableAnswer,
  withRetry,
} from './speech-service.ts'

/** Longest silence before or within a response. */
const SPEECH_STALL_MS_MAX = 15_000
/** An upper bound: four times slow speech. */
const AUDIO_MS_PER_CHAR_MAX = 400
/** Services may pad even the shortest text with silence. */
const AUDIO_MS_BASE_MAX = 10_000

export interface SpeechRequest {
  readonly words: string
  readonly voice: string
  readonly signal: AbortSignal
}

/** Yields 16-bit audio at 24 kHz. */
export async function* synthesize(
  ports: ServicePorts,
  service: SpeechService,
  { words, voice, signal }: SpeechRequest,
): AsyncGenerator<Uint8Array> {
  const patience = startPatience(ports.clock, SPEECH_STALL_MS_MAX, signal)
  const bytesMax = (AUDIO_MS_BASE_MAX + words.length * AUDIO_MS_PER_CHAR_MAX) * AUDIO_BYTES_PER_MS.pcm16
  const body = JSON.stringify({ model: service.model, voice, input: words, response_format: 'pcm' })
  try {
    const answer = await withRetry(ports, signal, () =>
      post(ports, service, '/audio/speech', {
        body,
        headers: { 'content-type': 'application/json' },
        patience,
      }),
    )
    const type = answer.headers.get('content-type') ?? ''
    if (!isRawAudio(type)) {
      await answer.body?.cancel()
      throw unreadableAnswer(service, `with ${type.split(';')[0]} in place of raw audio`)
    }
    let size = 0
    for await (const piece of bodyOf(answer)) {
      patience.renew()
      if (size === 0 && isFile(piece)) throw unreadableAnswer(service, 'with a WAV file in place of raw audio')
      size += piece.length
      if (size > bytesMax) throw unreadableAnswer(service, 'with far more audio than the text has')
      yield piece
    }
    if (size === 0) throw unreadableAnswer(service, 'with no audio')
  } catch (cause) {
    throw failureOf(service, patience, cause)
  } finally {
    patience.release()
  }
}

/** Services use different types for raw audio, or none. Error pages and compressed audio have types of their own. */
const isRawAudio = (type: string): boolean =>
  /^(?:audio\/(?:pcm|l16|raw|x-raw|basic|x-pcm)|application\/octet-stream|binary\/octet-stream|$)/i.test(type.trim())

const isFile = (piece: Uint8Array): boolean => new TextDecoder('latin1').decode(piece.subarray(0, 4)) === 'RIFF'
