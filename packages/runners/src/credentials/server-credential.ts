// The credential of a server at a provider: the key of its environment, else the personal login of its only user.
import { claudeLogin } from './logins/claude-login.ts'
import { codexLogin } from './logins/codex-login.ts'
import type { Login, LoginSource } from './logins/login.ts'
import { type ProviderName, providers } from './providers.ts'

export const loginSources: { readonly [P in ProviderName]: LoginSource } = {
  anthropic: claudeLogin,
  openai: codexLogin,
}

export type ServerCredential =
  /** `name` is the place of the credential, for people; never its value. */
  | { readonly name: string; readonly key: string }
  | { readonly name: string; readonly login: Login }
  /** There is none, in a sentence to act on. */
  | { readonly missing: string }

export interface CredentialOptions {
  readonly env: NodeJS.ProcessEnv
  /** Why personal logins are not used here, in a sentence; null = they are. */
  readonly loginRefusal: string | null
  readonly nowMs: number
}

export const findCredential = (
  provider: ProviderName,
  { env, loginRefusal, nowMs }: CredentialOptions,
): ServerCredential => {
  const { keyName } = providers[provider]
  const key = env[keyName]
  if (key) return { name: keyName, key }
  const { name, hint, find } = loginSources[provider]
  const found = find(env, nowMs)
  if (loginRefusal !== null)
    return { missing: `Set ${keyName} where the server is started.${found ? ` ${loginRefusal}` : ''}` }
  if (found === null) return { missing: `Set ${keyName} where the server is started, or use ${hint}.` }
  return 'problem' in found ? { missing: found.problem } : { name, login: found }
}
