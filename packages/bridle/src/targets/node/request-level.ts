// The level of a request's line in the log.
import type { RequestLogEntry } from '../../surfaces/http/router/app.ts'
import type { LogLevel } from './logger.ts'

/** A probe comes every few seconds and says nothing while it is answered: its lines would hide all others. */
export const requestLevel = ({ route, status }: Pick<RequestLogEntry, 'route' | 'status'>): LogLevel => {
  if (status >= 500) return 'warn'
  return PROBES.has(route) && status < 400 ? 'debug' : 'info'
}

const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])
