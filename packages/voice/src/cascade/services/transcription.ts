import { parseObject } from '@bridle/events/json'
import { type TurnAudio, wavFile } from '../../audio/wav.ts'
import { startPatience } from './patience.ts'
import {
  failureOf,
  post,
  readBytes,
  type ServicePorts,
  type SpeechService,
  unreadableAnswer,
  withRetry,
} from './speech-service.ts'

/** Services need about a tenth of a turn's length. */
const TRANSCRIPTION_MS_MAX = 30_000
/** With its usage. Two minutes of speech are about 2,000 characters. */
const TRANSCRIPT_BYTES_MAX = 256 * 1024

/** Empty if the service understood nothing. */
export const transcribe = (
  ports: ServicePorts,
  service: SpeechService,
  recording: TurnAudio,
  signal: AbortSignal,
): Promise<string> => {
  const file = new Blob([wavFile(recording)], { type: 'audio/wav' })
  return withRetry(ports, signal, async () => {
    const patience = startPatience(ports.clock, TRANSCRIPTION_MS_MAX, signal)
    try {
      const form = new FormData()
      form.set('file', file, 'turn.wav')
      form.set('model', service.model)
      form.set('response_format', 'json')
      const answer = await post(ports, service, '/audio/transcriptions', { body: form, patience })
      return parseTranscript(service, await readBytes(answer, TRANSCRIPT_BYTES_MAX))
    } catch (cause) {
      throw failureOf(service, patience, cause)
    } finally {
      patience.release()
    }
  })
}

const parseTranscript = (service: SpeechService, bytes: Uint8Array): string => {
  const { text } = parseObject(new TextDecoder().decode(bytes)) ?? {}
  if (typeof text !== 'string') throw unreadableAnswer(service, 'with no transcript')
  return text.toWellFormed().trim()
}
