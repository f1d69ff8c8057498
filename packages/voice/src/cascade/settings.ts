// The settings of the cascade, from the environment of a server.
import type { SpeechService } from './services/speech-service.ts'

export interface CascadeEnv {
  /** The address of a service that hears, up to `/audio/transcriptions`, such as `https://api.openai.com/v1`. */
  readonly BRIDLE_STT_URL?: string | undefined
  /** The key for BRIDLE_STT_URL, where it needs one. */
  readonly BRIDLE_STT_KEY?: string | undefined
  /** The model that hears; default `gpt-4o-mini-transcribe`. */
  readonly BRIDLE_STT_MODEL?: string | undefined
  /** The address of a service that speaks, up to `/audio/speech`. */
  readonly BRIDLE_TTS_URL?: string | undefined
  /** The key for BRIDLE_TTS_URL, where it needs one. */
  readonly BRIDLE_TTS_KEY?: string | undefined
  /** The model that speaks; default `gpt-4o-mini-tts`. */
  readonly BRIDLE_TTS_MODEL?: string | undefined
  /** The voice of clients that name none; default `alloy`. */
  readonly BRIDLE_TTS_VOICE?: string | undefined
}

export interface CascadeSettings {
  readonly transcription: SpeechService
  readonly synthesis: SpeechService
  readonly voice: string
}

export interface CascadeProblem {
  /** A sentence that says which setting to mend. */
  readonly problem: string
}

/** Null: no service is set, and the server has no cascade. */
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
