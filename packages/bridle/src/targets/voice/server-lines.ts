// The lines of a server: on each target the same, from its variables and the sockets that the target can open.
import type { SessionService } from '../../kernel/host/host.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import { cascadeEngine } from '../../voice/cascade/cascade.ts'
import { type CascadeEnv, cascadeSettings } from '../../voice/cascade/settings.ts'
import type { VoiceEngine } from '../../voice/engine.ts'
import { Lines } from '../../voice/lines.ts'
import type { ConnectProvider } from '../../voice/realtime/provider-socket.ts'
import { providerAccess, type RealtimeEnv } from '../../voice/realtime/providers.ts'
import { ServerFault } from '../server-fault.ts'

/** The variables of the realtime providers and of the cascade. */
export type VoiceEnv = RealtimeEnv & CascadeEnv

export interface ServerLinesPorts {
  readonly env: VoiceEnv
  readonly clock: Clock
  readonly host: Pick<SessionService, 'send'>
  readonly hasModel: (agent: string) => boolean
  readonly connect: ConnectProvider
}

/** Throws where a setting is wrong: an operator learns of it at the start, and not from the first person who speaks. */
export const checkVoiceSettings = (env: VoiceEnv): void => {
  const settings = cascadeSettings(env)
  if (settings && 'problem' in settings) throw new ServerFault('voice_invalid', settings.problem)
}

export const createServerLines = ({ env, clock, host, hasModel, connect }: ServerLinesPorts): Lines =>
  new Lines({
    clock,
    hasModel,
    send: (key, command) => host.send(key, command),
    realtime: providerAccess(env, connect),
    cascade: cascadeOf(env),
  })

/** Null: no service is set. A wrong setting, which stops a server on Node at its start, is the fault of each line on Workers. */
const cascadeOf = (env: VoiceEnv): VoiceEngine | null => {
  const settings = cascadeSettings(env)
  if (settings === null) return null
  if (!('problem' in settings)) return cascadeEngine(settings)
  return { open: async () => ({ code: 'voice_unavailable', message: settings.problem }) }
}
