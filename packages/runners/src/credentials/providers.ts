// The one table of providers: a further provider is one file beside the others and one row here.
import { anthropic } from './providers/anthropic.ts'
import { openai } from './providers/openai.ts'
import type { Provider, ProviderVariable, ProxyRefusalCode } from './providers/provider.ts'

const table = { anthropic, openai } satisfies { readonly [name: string]: Provider }

export type ProviderName = keyof typeof table

export const providers: { readonly [P in ProviderName]: Provider } = table

export const PROVIDER_NAMES = Object.keys(providers) as readonly ProviderName[]

export const PROVIDER_SECRETS: readonly string[] = Object.values(providers).flatMap(({ keyName, bearerName }) =>
  bearerName === undefined ? [keyName] : [keyName, bearerName],
)

export type ProviderEnv = { readonly [name in ProviderVariable]?: string | undefined }

/** In the words of the provider's API. A path of no provider gets the shape that the clients of both display. */
export const encodeProxyRefusal = (provider: Provider | null, code: ProxyRefusalCode, message: string): object =>
  (provider ?? providers.openai).encodeRefusal(code, message)

export const missingKeyMessage = (provider: ProviderName, where: string): string => {
  const { title, keyName } = providers[provider]
  return `There is no key for ${title}. Set ${keyName} where ${where} is started.`
}
