// The settings of a realtime session, as `session.update` wants them.
import type { ModelTool } from '../../../agents/model/model.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import type { AudioFormat, VoiceRequest } from '../../../kernel/ports/voice.ts'
import { SILENCE_MS } from '../../limits.ts'

export const DEFAULT_MODEL = 'gpt-realtime'
export const DEFAULT_VOICE = 'marin'

/** Writes down what the speaker says, beside the model that answers. */
export const TRANSCRIPTION_MODEL = 'gpt-4o-mini-transcribe'

const FORMATS: { readonly [F in AudioFormat]: JsonObject } = {
  pcm16: { type: 'audio/pcm', rate: 24_000 },
  g711_ulaw: { type: 'audio/pcmu' },
  g711_alaw: { type: 'audio/pcma' },
}

/** The settings that hold for the whole connection. The log decides when an answer begins and ends, so the provider does neither. */
export const audioSettings = ({
  format,
  voice,
  turns,
}: Pick<VoiceRequest, 'format' | 'voice' | 'turns'>): JsonObject => ({
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
    output: { format: FORMATS[format], voice: voice ?? DEFAULT_VOICE },
  },
})

/** The settings of a connection for an answer in writing. */
export const WRITTEN_SETTINGS: JsonObject = { type: 'realtime', output_modalities: ['text'] }

const SPOKEN_NOTE =
  'You speak with a person, and everything that you write is read out. Use short sentences without Markdown, lists or addresses of pages.'

/** The settings that may change with each request. `wishes` come from the client: they are below the instructions of the agent. */
export const turnSettings = (
  instructions: string,
  wishes: string | undefined,
  tools: readonly ModelTool[],
): JsonObject => ({
  type: 'realtime',
  instructions: [
    instructions,
    SPOKEN_NOTE,
    ...(wishes ? [`The person on the line wishes, as far as the instructions above allow it:\n${wishes}`] : []),
  ]
    .filter((text) => text !== '')
    .join('\n\n'),
  tools: tools.map(functionTool),
})

/** The same for an answer in writing. */
export const writtenTurnSettings = (instructions: string, tools: readonly ModelTool[]): JsonObject => ({
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
