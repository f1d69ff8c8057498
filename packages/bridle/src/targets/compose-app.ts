// The wiring that all targets share: the router of a host, with its agents, its voice lines, and what options and environment open.
import { present } from '../kernel/json.ts'
import type { Clock } from '../kernel/ports/clock.ts'
import { httpWires } from '../surfaces/all.ts'
import { type Exposure, type ExposureEnv, exposureOf } from '../surfaces/http/access/exposure.ts'
import { type App, type AppOptions, createApp } from '../surfaces/http/router/app.ts'
import { voiceAccess } from '../surfaces/voice/access.ts'
import type { Lines } from '../voice/lines.ts'
import type { ConnectProvider } from '../voice/realtime/provider-socket.ts'
import { defaultAgent } from './agents/registry.ts'
import { createServerLines, type VoiceEnv } from './voice/server-lines.ts'

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
  const lines = createServerLines({ env, clock: lineClock, host, hasModel, connect })
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
