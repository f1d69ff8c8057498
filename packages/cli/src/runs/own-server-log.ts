// The log of a server that runs inside of a command: its lines share the screen with those of the command.
import { type LogFields, type Logger, standardLogger } from '@bridle/server/node/logger'

/** Warnings and errors alone, unless BRIDLE_LOG names a level. Every request is the command's own, which says itself what was refused. */
export const ownServerLog = (env: NodeJS.ProcessEnv): Logger => {
  if (env.BRIDLE_LOG !== undefined) return withoutFailedRuns(standardLogger(env, Date.now))
  const log = standardLogger({ ...env, BRIDLE_LOG: 'warn' }, Date.now)
  return (level, message, fields) => {
    if (message !== 'request') log(level, message, fields)
  }
}

/** `dev` has lines of its own about what matters, also in a pipe: a line for each request would hide them. */
export const devServerLog = (env: NodeJS.ProcessEnv): Logger =>
  withoutFailedRuns(standardLogger({ BRIDLE_LOG: 'warn', ...env }, Date.now))

/**
 * A run that failed is shown as such; the line about the request that waited for it would say it again. So would the line about a
 * request for an agent that is not available: its caller reads the reason, and the command has named what is broken.
 */
export const withoutFailedRuns =
  (log: Logger): Logger =>
  (level, message, fields) => {
    if (message !== 'request' || !isAboutRun(fields)) log(level, message, fields)
  }

const isAboutRun = ({ method, route, status, cause }: LogFields = {}): boolean =>
  (route === RUN_ROUTE && status === 500) ||
  // A fault of the store has a cause, which nobody else names.
  (method === 'POST' && STARTING_ROUTES.has(route) && status === 503 && cause === undefined)

const RUN_ROUTE = '/agents/:name/:id'
/** The routes that refuse an agent which is not available. */
const STARTING_ROUTES: ReadonlySet<unknown> = new Set([RUN_ROUTE, '/sessions', '/chat/sessions'])
