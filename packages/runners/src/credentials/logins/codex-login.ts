// The login of Codex: tokens of a ChatGPT account, in the file that `codex login` writes. Codex itself renews them; nothing is written here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { objectIn } from '../providers/usage-fields.ts'
import type { Login, LoginProblem, LoginSource } from './login.ts'

/** The address that Codex asks with such a login. */
const CHATGPT_URL = 'https://chatgpt.com/backend-api/codex'
export const CHATGPT_URL_VARIABLE = 'CHATGPT_BASE_URL'

export const codexLogin: LoginSource = {
  name: 'the auth.json of Codex',
  hint: 'your own login: run codex login',
  renewal: 'Run codex login.',
  find: (env, nowMs) => {
    const text = readAuthFile(env)
    return text === null ? null : loginOf(text, env[CHATGPT_URL_VARIABLE] || CHATGPT_URL, nowMs)
  },
}

const readAuthFile = ({ CODEX_HOME, HOME, USERPROFILE }: NodeJS.ProcessEnv): string | null => {
  const home = HOME || USERPROFILE
  const folder = CODEX_HOME || (home ? join(home, '.codex') : null)
  return tryOr(null, () => (folder === null ? null : readFileSync(join(folder, 'auth.json'), 'utf8')))
}

const loginOf = (text: string, url: string, nowMs: number): Login | LoginProblem | null => {
  const tokens = objectIn(objectIn(parsed(text)).tokens)
  const { access_token: access, account_id: account } = tokens
  // A file with a key and no login of ChatGPT: keys come from the environment.
  if (typeof access !== 'string' || !access) return null
  if (typeof account !== 'string' || !/^[\w.-]+$/.test(account))
    return { problem: 'The auth.json of Codex names no account. Run codex login.' }
  const endsAtMs = endOf(access)
  if (endsAtMs !== null && endsAtMs <= nowMs) return { problem: 'The login of Codex has expired. Run codex login.' }
  const headers = { authorization: `Bearer ${access}`, 'chatgpt-account-id': account }
  return { secret: access, url: url.replace(/\/+$/, ''), headers: () => headers }
}

/** The end of a token in the form of a JWT; null = it does not say. */
const endOf = (token: string): number | null => {
  const [, payload = ''] = token.split('.')
  const { exp } = objectIn(parsed(Buffer.from(payload, 'base64url').toString('utf8')))
  return typeof exp === 'number' ? exp * 1000 : null
}

const parsed = (text: string): unknown => tryOr(null, () => JSON.parse(text))
