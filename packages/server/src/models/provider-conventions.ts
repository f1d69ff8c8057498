// AI SDK package names and key variables. Packages that follow the convention need no row.

export const packageOf = (provider: string): string => `@ai-sdk/${provider}`

/** A valid name is a single package name segment, so it cannot escape `@ai-sdk/`. */
export const isProviderName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)

/** Exports not named `create` plus the provider's name. */
const FACTORIES: { readonly [provider: string]: readonly string[] } = {
  google: ['creategooglegenerativeai', 'creategoogle'],
  'google-vertex': ['createvertex', 'creategooglevertex'],
}

/** Lower case, because packages differ in how they write `OpenAI`. */
export const factoryNames = (provider: string): readonly string[] =>
  rowOf(FACTORIES, provider) ?? [`create${lettersOf(provider)}`]

/** The provider instance that a package exports, in lower case. */
export const instanceNames = (provider: string): readonly string[] =>
  factoryNames(provider).map((name) => name.replace(/^create/, ''))

const lettersOf = (provider: string): string => provider.replaceAll('-', '')

/** Other providers are configured by their own packages. */
const KEY_VARIABLES: { readonly [provider: string]: string } = {
  anthropic: 'ANTHROPIC_API_KEY',
  cerebras: 'CEREBRAS_API_KEY',
  cohere: 'COHERE_API_KEY',
  deepinfra: 'DEEPINFRA_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  fireworks: 'FIREWORKS_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  groq: 'GROQ_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  openai: 'OPENAI_API_KEY',
  perplexity: 'PERPLEXITY_API_KEY',
  xai: 'XAI_API_KEY',
}

export const keyVariable = (provider: string): string | undefined => rowOf(KEY_VARIABLES, provider)

/** Providers whose package also reads a base URL from the environment. */
const URL_VARIABLES: { readonly [provider: string]: string } = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
}

export const urlVariable = (provider: string): string | undefined => rowOf(URL_VARIABLES, provider)

/** For suggestions. Other packages work too. */
export const KNOWN_PROVIDERS: readonly string[] = [
  ...new Set([...Object.keys(KEY_VARIABLES), ...Object.keys(FACTORIES)]),
]

const rowOf = <T>(table: { readonly [provider: string]: T }, provider: string): T | undefined =>
  Object.hasOwn(table, provider) ? table[provider] : undefined
