// The names of AI SDK packages and the variables of their keys. A package that keeps to the convention needs no row.

export const packageOf = (provider: string): string => `@ai-sdk/${provider}`

/** Names of providers are part of the name of a package, and of nothing else. */
export const isProviderName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)

/** Exports whose name is not `create` and the name of the provider. */
const FACTORIES: { readonly [provider: string]: readonly string[] } = {
  google: ['creategooglegenerativeai', 'creategoogle'],
  'google-vertex': ['createvertex', 'creategooglevertex'],
}

/** Names of the export that makes a provider, in lower case: packages differ in how they write `OpenAI`. */
export const factoryNames = (provider: string): readonly string[] =>
  rowOf(FACTORIES, provider) ?? [`create${lettersOf(provider)}`]

/** Names of the provider that a package has made already, in lower case. */
export const instanceNames = (provider: string): readonly string[] =>
  factoryNames(provider).map((name) => name.replace(/^create/, ''))

const lettersOf = (provider: string): string => provider.replaceAll('-', '')

/** Providers that take a key, and the variable that has it. About the others, only their own package knows. */
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

/** Providers whose package reads another address from a variable. */
const URL_VARIABLES: { readonly [provider: string]: string } = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
}

export const urlVariable = (provider: string): string | undefined => rowOf(URL_VARIABLES, provider)

/** Providers that are known by name. Other packages work too. */
export const KNOWN_PROVIDERS: readonly string[] = [
  ...new Set([...Object.keys(KEY_VARIABLES), ...Object.keys(FACTORIES)]),
]

const rowOf = <T>(table: { readonly [provider: string]: T }, provider: string): T | undefined =>
  Object.hasOwn(table, provider) ? table[provider] : undefined
