// Decides whether a server may use the personal logins of its user: only where no other person can ask it. A vendor gives such a login to
// one person, and whoever asks the server would act under that person's name.
import { type AccessOptions, isLoopback } from '@bridle/surfaces/http/access/authenticate'

export interface LoginSurroundings
  extends Pick<AccessOptions, 'tokens' | 'tenantRequired' | 'extractAuthToken' | 'authenticate'> {
  readonly hostname: string
  /** A proxy in front passes requests of others on. */
  readonly isProxied: boolean
}

/** The reason why personal logins are not used, in a sentence; null = they are. */
export const personalLoginProblem = (server: LoginSurroundings): string | null => {
  const { hostname, isProxied, tokens = [], tenantRequired = false } = server
  const reason = !isLoopback(hostname)
    ? `it listens on ${hostname}`
    : isProxied
      ? 'a proxy stands in front of it'
      : tokens.length > 0 || tenantRequired || server.extractAuthToken || server.authenticate
        ? 'it has callers of its own'
        : null
  return reason === null ? null : `This server does not use a personal login, since others reach it: ${reason}.`
}
