// Speech to text: a turn of a speaker goes to the service as a file, and its words come back.
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

/** The longest wait for the text of a turn: services take about a tenth of its length. */
const TRANSCRIPTION_MS_MAX = 30_000
/** A transcript with its usage: a turn of two minutes has about 2,000 characters. */
const TRANSCRIPT_BYTES_MAX = 256 * 1024

/** The words of a turn; empty where the service has understood none. */
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
