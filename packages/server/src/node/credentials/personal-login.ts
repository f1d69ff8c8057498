// A vendor issues a personal login to one person, so it may only be used if no one else can reach the server.
import { type AccessOptions, isLoopback } from '@bridle/surfaces/http/access/authenticate'

export interface LoginSurroundings
  extends Pick<AccessOptions, 'tokens' | 'tenantRequired' | 'extractAuthToken' | 'authenticate'> {
  readonly hostname: string
  /** A proxy forwards requests of other people. */
  readonly isProxied: boolean
}

/** Why personal logins are not used; null if they are. */
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
