// JSON lines for machines, short lines on a terminal. Fields are ids, routes and outcomes: never a body, a prompt or a token.
import { stripVTControlCharacters, styleText } from 'node:util'
import type { RequestLogEntry } from '@bridle/surfaces/app'
import { ServerFault } from '@bridle/system/server-fault'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined }
export type Logger = (level: LogLevel, message: string, fields?: LogFields) => void

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const colours = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

export interface LoggerOptions {
  /** From BRIDLE_LOG. Default: `info`, or `warn` on a terminal. `silent` disables the log. */
  readonly level?: string | undefined
  readonly isTerminal: boolean
  readonly columns?: () => number
  readonly write: (line: string) => void
  readonly now: () => number
}

export const createLogger = ({ level, isTerminal, columns = () => 80, write, now }: LoggerOptions): Logger => {
  const least =
    level === 'silent' ? levels.length : levels.indexOf((level ?? (isTerminal ? 'warn' : 'info')) as LogLevel)
  if (least < 0)
    throw new ServerFault('log_level_invalid', `BRIDLE_LOG is ${levels.join(', ')} or silent, not "${level}".`)
  return (lineLevel, message, fields = {}) => {
    if (levels.indexOf(lineLevel) < least) return
    const time = new Date(now()).toISOString()
    if (!isTerminal) return write(JSON.stringify({ time, level: lineLevel, message, ...fields }))
    const words = [
      ...[styleText('gray', time.slice(11, 19)), styleText(colours[lineLevel], lineLevel), ...message.split(' ')],
      ...Object.entries(fields).map(([name, value]) => styleText('gray', `${name}=${value}`)),
    ]
    write(inLines(words, columns()))
  }
}

/** Wraps at `columns`; a longer word gets its own line. */
const inLines = (words: readonly string[], columns: number): string => {
  let width = 0
  return words
    .map((word, at) => {
      const { length } = stripVTControlCharacters(word)
      const fits = width + 1 + length <= columns
      width = at === 0 ? length : fits ? width + 1 + length : 2 + length
      return `${at === 0 ? '' : fits ? ' ' : '\n  '}${word}`
    })
    .join('')
}

export const standardLogger = (env: NodeJS.ProcessEnv, now: () => number): Logger =>
  createLogger({
    level: env.BRIDLE_LOG,
    isTerminal: process.stderr.isTTY ?? false,
    columns: () => process.stderr.columns || 80,
    write: (line) => process.stderr.write(`${line}\n`),
    now,
  })

/** Probes arrive every few seconds. Successful ones are logged at `debug`, so that they do not drown out other lines. */
export const requestLevel = ({ route, status }: Pick<RequestLogEntry, 'route' | 'status'>): LogLevel => {
  if (status >= 500) return 'warn'
  return PROBES.has(route) && status < 400 ? 'debug' : 'info'
}

const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])
