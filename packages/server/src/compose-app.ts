import { present } from '@bridle/events/json'
import type { Clock } from '@bridle/kernel/ports/clock'
import { httpWires } from '@bridle/surfaces/all'
import { type App, type AppOptions, createApp } from '@bridle/surfaces/app'
import { type Exposure, type ExposureEnv, exposureOf } from '@bridle/surfaces/http/access/exposure'
import { voiceAccess } from '@bridle/surfaces/voice/access'
import { ServerFault } from '@bridle/system/server-fault'
import { cascadeEngine } from '@bridle/voice/cascade/cascade-line'
import { cascadeSettings } from '@bridle/voice/cascade/settings'
import type { VoiceEngine } from '@bridle/voice/engine'
import { Lines } from '@bridle/voice/lines'
import type { ConnectProvider } from '@bridle/voice/realtime/provider-socket'
import { providerAccess } from '@bridle/voice/realtime/providers'
import { defaultAgent } from './agents/registry.ts'
import type { VoiceEnv } from './voice/voice-agent.ts'

interface AppParts extends Omit<AppOptions, 'defaultAgent' | 'voice' | 'voiceInstructions' | keyof Exposure> {
  readonly env: VoiceEnv & ExposureEnv & { readonly BRIDLE_VOICE_INSTRUCTIONS?: string | undefined }
  readonly options: Pick<AppOptions, 'rateLimit' | 'maxBodyBytes' | 'voiceInstructions' | 'expose'> & {
    readonly defaultAgent?: string
  }
  readonly hasModel: (agent: string) => boolean
  readonly lineClock: Clock
  readonly connect: ConnectProvider
}

export const composeApp = ({
  env,
  options,
  hasModel,
  lineClock,
  connect,
  ...parts
}: AppParts): { readonly app: App; readonly lines: Lines; readonly exposure: Exposure } => {
  const { agents, host } = parts
  const lines = new Lines({
    clock: lineClock,
    hasModel,
    send: (key, command) => host.send(key, command),
    realtime: providerAccess(env, connect),
    cascade: cascadeOf(env),
  })
  const exposure = exposureOf(env, options.expose)
  const app = createApp(
    {
      ...parts,
      defaultAgent: options.defaultAgent ?? defaultAgent(agents, env),
      ...exposure,
      ...voiceAccess(options, env),
      voice: lines,
      ...present({ rateLimit: options.rateLimit, maxBodyBytes: options.maxBodyBytes }),
    },
    httpWires,
  )
  return { app, lines, exposure }
}

/** Throws on an invalid setting, so that the operator sees it at start, rather than the first speaker. */
export const checkVoiceSettings = (env: VoiceEnv): void => {
  const settings = cascadeSettings(env)
  if (settings && 'problem' in settings) throw new ServerFault('voice_invalid', settings.problem)
}

/** Null if no service is configured. A Worker cannot refuse to start, so there an invalid setting fails each line. */
const cascadeOf = (env: VoiceEnv): VoiceEngine | null => {
  const settings = cascadeSettings(env)
  if (settings === null) return null
  if (!('problem' in settings)) return cascadeEngine(settings)
  return { open: async () => ({ code: 'voice_unavailable', message: settings.problem }) }
}
