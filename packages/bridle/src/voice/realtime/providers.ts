// The table of realtime providers. A new one is a folder that implements `RealtimeProvider`, and a row here.
import { openai } from './openai/openai.ts'
import type { ProviderAccess, RealtimeProvider } from './provider.ts'
import type { ConnectProvider } from './provider-socket.ts'

/** A server uses the first one whose key it has. */
const PROVIDERS = [openai] as const satisfies readonly RealtimeProvider[]

type ProviderRow = (typeof PROVIDERS)[number]

/** The variables of all providers. */
export type RealtimeEnv = { readonly [name in ProviderRow['keyVariable' | 'urlVariable']]?: string | undefined }

/** The variables of which an operator sets one, for a sentence. */
export const KEY_VARIABLES = PROVIDERS.map(({ keyVariable }) => keyVariable).join(' or ')

/** Null: the server has no key. */
export const providerAccess = (
  env: object,
  connect: ConnectProvider,
  providers: readonly RealtimeProvider[] = PROVIDERS,
): ProviderAccess | null => {
  const variables = env as { readonly [name: string]: string | undefined }
  const provider = providers.find(({ keyVariable }) => variables[keyVariable])
  if (!provider) return null
  const { keyVariable, urlVariable, url } = provider
  return { provider, key: variables[keyVariable] ?? '', url: variables[urlVariable] || url, connect }
}
