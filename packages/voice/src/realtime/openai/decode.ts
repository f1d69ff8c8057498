// Decodes OpenAI's events. Skips events of unknown responses and turns.
import { countOf, type JsonObject, objectOf, textOf } from '@bridle/events/json'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { decodeBase64 } from '@bridle/kernel/text/base64'
import type { ProviderFaults } from '../faults.ts'
import type { ReadyEvent, RealtimeEvent, ResponseEnd, ResponseUsage, Transcription } from '../provider.ts'
import { isNotice, TRANSCRIPTION_MODEL } from './encode.ts'
import type { ResponseNames } from './response-names.ts'

/** Converts audio tokens to time for usage reported in tokens. */
const AUDIO_TOKEN_MS = 100

export type DecodedEvent =
  | Exclude<RealtimeEvent, { type: 'call' }>
  | ReadyEvent
  | (Extract<RealtimeEvent, { type: 'call' }> & { readonly item: string })

interface DecodeContext {
  readonly names: ResponseNames
  readonly faults: ProviderFaults
  /** Prefix of event ids whose errors are expected. */
  readonly latePrefix: string
}

export const decodeEvent = (event: JsonObject, context: DecodeContext): DecodedEvent | null => {
  const type = textOf(event.type)
  if (Object.hasOwn(SPEAKER_DECODERS, type)) return SPEAKER_DECODERS[type]!(event, context)
  if (!Object.hasOwn(RESPONSE_DECODERS, type)) return null
  const id = textOf(event.response_id) || textOf(objectOf(event.response).id)
  const { names } = context
  if (type === 'response.created') {
    const response = names.begin(id, isNotice(event))
    return response === null ? null : { type: 'response_started', response }
  }
  const response = names.nameOf(id)
  if (response === null) return null
  if (type === 'response.done') names.end(response)
  return RESPONSE_DECODERS[type]!(event, response, context)
}

type SpeakerDecoder = (event: JsonObject, context: DecodeContext) => DecodedEvent | null
type ResponseDecoder = (event: JsonObject, response: string, context: DecodeContext) => DecodedEvent | null

const SPEAKER_DECODERS: { readonly [type: string]: SpeakerDecoder } = {
  'session.created': () => ({ type: 'ready' }),
  'input_audio_buffer.speech_started': ({ audio_start_ms: ms }) => ({ type: 'speech_started', ms: timeOf(ms) ?? 0 }),
  'input_audio_buffer.speech_stopped': ({ audio_end_ms: ms }) => ({ type: 'speech_stopped', ms: timeOf(ms) }),
  'input_audio_buffer.committed': ({ item_id: turn }) => ({ type: 'turn_committed', turn: textOf(turn) }),
  'conversation.item.input_audio_transcription.completed': ({ item_id: turn, transcript, usage }) => ({
    type: 'turn_text',
    turn: textOf(turn),
    text: textOf(transcript),
    transcription: transcriptionOf(objectOf(usage)),
  }),
  'conversation.item.input_audio_transcription.failed': ({ item_id: turn }) => ({
    ...{ type: 'turn_text', turn: textOf(turn), text: '', transcription: null },
  }),
  error: ({ error }, { names, faults, latePrefix }) => {
    const eventId = textOf(objectOf(error).event_id)
    if (eventId.startsWith(latePrefix)) return null
    return { type: 'fault', fault: faultOf(objectOf(error), faults), request: names.askedWith(eventId) }
  },
}

const RESPONSE_DECODERS: { readonly [type: string]: ResponseDecoder } = {
  'response.created': () => null,
  'response.output_item.added': ({ item }, response) => {
    const { id, type, role } = objectOf(item)
    return type === 'message' && role === 'assistant' ? { type: 'item_started', response, item: textOf(id) } : null
  },
  'response.output_audio_transcript.delta': (event, response) => decodeText(event, response, true),
  'response.output_text.delta': (event, response) => decodeText(event, response, false),
  'response.output_audio.delta': ({ item_id: item, delta }, response) => {
    const audio = decodeBase64(textOf(delta))
    return audio && audio.length > 0 ? { type: 'audio', response, item: textOf(item), audio } : null
  },
  'response.output_audio.done': ({ item_id: item }, response) => ({ type: 'audio_end', response, item: textOf(item) }),
  'response.output_item.done': (event, response) => {
    const { id, type, call_id, name, arguments: input } = objectOf(event.item)
    if (type !== 'function_call') return null
    return { type: 'call', response, item: textOf(id), id: textOf(call_id), name: textOf(name), input: textOf(input) }
  },
  'response.done': ({ response: ended }, response, { faults }) => {
    const { status, status_details, usage } = objectOf(ended)
    const end = endOf(status, objectOf(status_details), faults)
    return { type: 'response_end', response, end, usage: usageOf(objectOf(usage)) }
  },
}

const decodeText = ({ item_id: item, delta }: JsonObject, response: string, isSpoken: boolean): DecodedEvent | null => {
  const text = textOf(delta)
  return text === '' ? null : { type: 'text', response, item: textOf(item), text, isSpoken }
}

const endOf = (status: unknown, { reason, error }: JsonObject, faults: ProviderFaults): ResponseEnd => {
  if (status === 'failed') return { type: 'failed', fault: faultOf(objectOf(error), faults) }
  const raw = textOf(reason) || textOf(status)
  if (status === 'completed') return { type: 'completed', raw }
  if (status === 'cancelled') return { type: 'interrupted', raw }
  return { type: reason === 'content_filter' ? 'content-filter' : 'length', raw }
}

const timeOf = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null)

const FAULT_BY_CODE: { readonly [code: string]: Exclude<keyof ProviderFaults, 'reported'> } = {
  invalid_api_key: 'key',
  authentication_error: 'key',
  model_not_found: 'model',
  invalid_model: 'model',
  insufficient_quota: 'quota',
  session_expired: 'lost',
  server_error: 'lost',
  input_audio_buffer_commit_empty: 'emptyTurn',
}

const faultOf = (error: JsonObject, faults: ProviderFaults): VoiceFault => {
  const [code, type] = [textOf(error.code), textOf(error.type)]
  const known = [code, type].find((each) => Object.hasOwn(FAULT_BY_CODE, each))
  return known === undefined ? faults.reported(textOf(error.message) || code) : faults[FAULT_BY_CODE[known]!]()
}

const usageOf = ({
  input_tokens,
  output_tokens,
  input_token_details,
  output_token_details,
}: JsonObject): ResponseUsage => {
  const [input, output] = [objectOf(input_token_details), objectOf(output_token_details)]
  return {
    inputTokens: {
      total: countOf(input_tokens),
      cacheRead: countOf(input.cached_tokens),
      audio: countOf(input.audio_tokens),
      cachedAudio: countOf(objectOf(input.cached_tokens_details).audio_tokens),
    },
    outputTokens: { total: countOf(output_tokens), audio: countOf(output.audio_tokens) },
  }
}

const transcriptionOf = ({ seconds, input_token_details: details }: JsonObject): Transcription => {
  const tokens = countOf(objectOf(details).audio_tokens) ?? 0
  const audioMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : tokens * AUDIO_TOKEN_MS
  return { model: TRANSCRIPTION_MODEL, audioMs }
}
