import type { SpeechService } from './services/speech-service.ts'

export interface CascadeEnv {
  /** Base URL of the speech-to-text service, before `/audio/transcriptions`, such as `https://api.openai.com/v1`. */
  readonly BRIDLE_STT_URL?: string | undefined
  /** Key for BRIDLE_STT_URL, if required. */
  readonly BRIDLE_STT_KEY?: string | undefined
  /** Speech-to-text model. Default: `gpt-4o-mini-transcribe`. */
  readonly BRIDLE_STT_MODEL?: string | undefined
  /** Base URL of the text-to-speech service, before `/audio/speech`. */
  readonly BRIDLE_TTS_URL?: string | undefined
  /** Key for BRIDLE_TTS_URL, if required. */
  readonly BRIDLE_TTS_KEY?: string | undefined
  /** Text-to-speech model. Default: `gpt-4o-mini-tts`. */
  readonly BRIDLE_TTS_MODEL?: string | undefined
  /** Voice for clients that name none. Default: `alloy`. */
  readonly BRIDLE_TTS_VOICE?: string | undefined
}

export interface CascadeSettings {
  readonly transcription: SpeechService
  readonly synthesis: SpeechService
  readonly voice: string
}

export interface CascadeProblem {
  readonly problem: string
}

export const cascadeSettings = (env: CascadeEnv): CascadeSettings | CascadeProblem | null => {
  const { BRIDLE_STT_URL: hears, BRIDLE_TTS_URL: speaks } = env
  if (!hears && !speaks) return null
  if (!hears || !speaks)
    return {
      problem: hears
        ? 'BRIDLE_STT_URL names a service that hears, and none speaks: set BRIDLE_TTS_URL as well.'
        : 'BRIDLE_TTS_URL names a service that speaks, and none hears: set BRIDLE_STT_URL as well.',
    }
  const wrong = (['BRIDLE_STT_URL', 'BRIDLE_TTS_URL'] as const).find((name) => !isAddress(env[name] ?? ''))
  if (wrong)
    return { problem: `${wrong} is no address: it begins with http:// or https://, as https://api.openai.com/v1.` }
  return {
    transcription: service('BRIDLE_STT', hears, env.BRIDLE_STT_KEY, env.BRIDLE_STT_MODEL || 'gpt-4o-mini-transcribe'),
    synthesis: service('BRIDLE_TTS', speaks, env.BRIDLE_TTS_KEY, env.BRIDLE_TTS_MODEL || 'gpt-4o-mini-tts'),
    voice: env.BRIDLE_TTS_VOICE || 'alloy',
  }
}

const service = (setting: string, url: string, key: string | undefined, model: string): SpeechService => ({
  ...{ setting, url, model },
  ...(key && { key }),
})

const isAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')
