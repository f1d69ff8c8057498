// The log of an in-process server, which shares the screen with the command.
import { type LogFields, type Logger, standardLogger } from '@bridle/server/node/logger'

/** Warnings and errors only, unless BRIDLE_LOG is set. The command itself reports refused requests. */
export const ownServerLog = (env: NodeJS.ProcessEnv): Logger => {
  if (env.BRIDLE_LOG !== undefined) return withoutFailedRuns(standardLogger(env, Date.now))
  const log = standardLogger({ ...env, BRIDLE_LOG: 'warn' }, Date.now)
  return (level, message, fields) => {
    if (message !== 'request') log(level, message, fields)
  }
}

/** `dev` prints its own lines, which request logs would bury. */
export const devServerLog = (env: NodeJS.ProcessEnv): Logger =>
  withoutFailedRuns(standardLogger({ BRIDLE_LOG: 'warn', ...env }, Date.now))

/** Failed runs are reported elsewhere, so drop the log line of their request, and of requests for an unavailable agent. */
export const withoutFailedRuns =
  (log: Logger): Logger =>
  (level, message, fields) => {
    if (message !== 'request' || !isAboutRun(fields)) log(level, message, fields)
  }

const isAboutRun = ({ method, route, status, cause }: LogFields = {}): boolean =>
  (route === RUN_ROUTE && status === 500) ||
  // A store fault has a cause, which is logged nowhere else.
  (method === 'POST' && STARTING_ROUTES.has(route) && status === 503 && cause === undefined)

const RUN_ROUTE = '/agents/:name/:id'
const STARTING_ROUTES: ReadonlySet<unknown> = new Set([RUN_ROUTE, '/sessions', '/chat/sessions'])
