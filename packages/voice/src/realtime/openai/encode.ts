import type { ModelTool } from '@bridle/agents/model/model'
import { type JsonObject, objectOf, textOf } from '@bridle/events/json'
import type { AudioFormat } from '@bridle/kernel/ports/voice'
import { SILENCE_MS } from '../../spoken/limits.ts'
import type { LineAudio, NoticeRequest, ResponseRequest } from '../provider.ts'

export const TRANSCRIPTION_MODEL = 'gpt-4o-mini-transcribe'

const FORMATS: { readonly [F in AudioFormat]: JsonObject } = {
  pcm16: { type: 'audio/pcm', rate: 24_000 },
  g711_ulaw: { type: 'audio/pcmu' },
  g711_alaw: { type: 'audio/pcma' },
}

/** Settings of the connection. Turn detection does not trigger responses, because the log decides when answers start and stop. */
export const sessionSettings = (audio: LineAudio | null): JsonObject => {
  if (!audio) return { type: 'realtime', output_modalities: ['text'] }
  const { format, turns, voice } = audio
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    audio: {
      input: {
        format: FORMATS[format],
        transcription: { model: TRANSCRIPTION_MODEL },
        turn_detection:
          turns === 'manual'
            ? null
            : {
                type: 'server_vad',
                silence_duration_ms: SILENCE_MS,
                create_response: false,
                interrupt_response: false,
              },
      },
      output: { format: FORMATS[format], voice },
    },
  }
}

export const turnSettings = ({ instructions, tools }: Pick<ResponseRequest, 'instructions' | 'tools'>): JsonObject => ({
  type: 'realtime',
  instructions,
  tools: tools.map(functionTool),
})

const functionTool = ({ name, description, inputSchema }: ModelTool): JsonObject => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  parameters: inputSchema,
})

export const responseRequest = ({ toolChoice, maxOutputTokens }: ResponseRequest): JsonObject => ({
  type: 'response.create',
  response: {
    ...(toolChoice && {
      tool_choice: toolChoice.type === 'tool' ? { type: 'function', name: toolChoice.toolName } : toolChoice.type,
    }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  },
})

const NOTICE = 'notice'

export const noticeRequest = ({ instructions }: NoticeRequest): JsonObject => ({
  type: 'response.create',
  response: {
    conversation: 'none',
    metadata: { purpose: NOTICE },
    input: [],
    tools: [],
    tool_choice: 'none',
    instructions,
  },
})

export const isNotice = ({ response }: JsonObject): boolean =>
  textOf(objectOf(objectOf(response).metadata).purpose) === NOTICE
