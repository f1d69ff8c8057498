// The login of Claude Code: a long-lived token of a subscription, as `claude setup-token` prints it.
import type { LoginSource } from './login.ts'

export const CLAUDE_LOGIN_VARIABLE = 'CLAUDE_CODE_OAUTH_TOKEN'

/** Claude Code names this beta beside a token of this kind. Without it the token is refused. */
const OAUTH_BETA = 'oauth-2025-04-20'

export const claudeLogin: LoginSource = {
  name: CLAUDE_LOGIN_VARIABLE,
  hint: `your own login: run claude setup-token and set ${CLAUDE_LOGIN_VARIABLE}`,
  renewal: `Run claude setup-token, and start the server again with the new ${CLAUDE_LOGIN_VARIABLE}.`,
  find: ({ [CLAUDE_LOGIN_VARIABLE]: token }) =>
    token ? { secret: token, headers: ({ 'anthropic-beta': betas }) => headersOf(token, betas) } : null,
}

const headersOf = (token: string, betas: string | string[] | undefined) => {
  const named = [betas ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((beta) => beta.trim())
  const all = new Set([...named.filter((beta) => beta !== ''), OAUTH_BETA])
  return { authorization: `Bearer ${token}`, 'anthropic-beta': [...all].join(',') }
}
