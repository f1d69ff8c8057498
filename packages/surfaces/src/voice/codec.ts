import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { decodeBase64 } from '@bridle/kernel/text/base64'
import { anyJson } from '@bridle/wire/http/wire/request-values'
import type { VoiceClientMessage } from '@bridle/wire/voice/wire'
import * as v from 'valibot'
import { parseMessage } from '../http/requests/parse-input.ts'

/** 21 s of pcm16. Clients send about 20 ms; one that records first may send a whole sentence. */
export const AUDIO_FRAME_BYTES_MAX = 1024 * 1024

/** An audio frame as base64, plus its JSON. */
export const AUDIO_MESSAGE_CHARS_MAX = Math.ceil((AUDIO_FRAME_BYTES_MAX * 4) / 3) + 1_000

/** More than a person types. */
const VOICE_TEXT_CHARS_MAX = 100_000
/** Ids of items and calls are issued by the server. */
const ITEM_CHARS_MAX = 256

export interface VoiceMistake {
  readonly code: 'bad_message' | 'bad_audio' | 'frame_too_large'
  readonly problem: string
}

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(ITEM_CHARS_MAX))
export const voiceMessageSchema = v.variant('type', [
  v.looseObject({ type: v.literal('audio'), audio: v.optional(v.string()), end: v.optional(v.boolean()) }),
  v.looseObject({
    type: v.literal('text'),
    text: v.pipe(v.string(), v.nonEmpty('Send some text.'), v.maxLength(VOICE_TEXT_CHARS_MAX)),
  }),
  v.looseObject({ type: v.literal('cancel_response') }),
  v.looseObject({ type: v.literal('tool_result'), id: name, output: anyJson }),
  v.looseObject({
    type: v.literal('played'),
    item: name,
    ms: v.pipe(v.number(), v.finite(), v.minValue(0)),
    stopped: v.optional(v.boolean()),
  }),
  v.looseObject({ type: v.literal('ping'), ts: v.optional(v.number()) }),
])

export const parseVoiceMessage = (text: string): VoiceClientMessage | VoiceMistake => {
  if (text.length > AUDIO_MESSAGE_CHARS_MAX) return frameTooLarge
  const parsed = parseMessage(voiceMessageSchema, text)
  return 'problem' in parsed ? badMessage(parsed.problem) : parsed.message
}

export const isVoiceMistake = (message: object): message is VoiceMistake => 'problem' in message

export const decodeAudio = (base64: string, format: AudioFormat): Uint8Array | VoiceMistake => {
  const bytes = decodeBase64(base64)
  return bytes ? checkAudio(bytes, format) : badAudio('The audio is not base64.')
}

export const checkAudio = (bytes: Uint8Array, format: AudioFormat): Uint8Array | VoiceMistake => {
  if (bytes.length > AUDIO_FRAME_BYTES_MAX) return frameTooLarge
  if (format === 'pcm16' && bytes.length % 2 !== 0)
    return badAudio('A frame of pcm16 has an even number of bytes: two for each sample, little-endian.')
  return bytes
}

export const audioMs = (bytes: number, format: AudioFormat): number => bytes / AUDIO_BYTES_PER_MS[format]

const badMessage = (problem: string): VoiceMistake => ({ code: 'bad_message', problem })
const badAudio = (problem: string): VoiceMistake => ({ code: 'bad_audio', problem })
export const pauseEndsTurn = badMessage(
  'end: A pause ends the turns of this line. Open it with turns=manual to end them yourself.',
)
export const frameTooLarge: VoiceMistake = {
  code: 'frame_too_large',
  problem: `A frame has at most ${AUDIO_FRAME_BYTES_MAX} bytes of audio. Send shorter ones, such as 20 ms.`,
}
