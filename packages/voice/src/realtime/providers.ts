// A new provider is a folder that implements `RealtimeProvider`, and a row in this table.
import { openai } from './openai/openai.ts'
import type { ProviderAccess, RealtimeProvider } from './provider.ts'
import type { ConnectProvider } from './provider-socket.ts'

/** A server uses the first provider with a key. */
export const PROVIDERS: readonly RealtimeProvider[] = [openai]

export type RealtimeEnv = {
  readonly [name in RealtimeProvider['keyVariable' | 'urlVariable']]?: string | undefined
}

export const KEY_VARIABLES = PROVIDERS.map(({ keyVariable }) => keyVariable).join(' or ')

export const providerAccess = (
  env: RealtimeEnv,
  connect: ConnectProvider,
  providers: readonly RealtimeProvider[] = PROVIDERS,
): ProviderAccess | null => {
  for (const provider of providers) {
    const key = env[provider.keyVariable]
    if (key) return { provider, key, url: env[provider.urlVariable] || provider.url, connect }
  }
  return null
}
