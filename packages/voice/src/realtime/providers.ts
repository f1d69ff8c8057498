// The table of realtime providers. A new one is a folder that implements `RealtimeProvider`, and a row here.
import { openai } from './openai/openai.ts'
import type { ProviderAccess, RealtimeProvider } from './provider.ts'
import type { ConnectProvider } from './provider-socket.ts'

/** A server uses the first one whose key it has. */
export const PROVIDERS: readonly RealtimeProvider[] = [openai]

/** The variables that rows may name. */
export type RealtimeEnv = {
  readonly [name in RealtimeProvider['keyVariable' | 'urlVariable']]?: string | undefined
}

/** The variables of which an operator sets one, for a sentence. */
export const KEY_VARIABLES = PROVIDERS.map(({ keyVariable }) => keyVariable).join(' or ')

/** Null: the server has no key. */
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
