// Structured logs: one JSON object per line, for machines; on a terminal, a short line for people. The fields are
// ids, routes and outcomes: never a body, a prompt or a token.

import { styleText } from 'node:util'
import { ServerFault } from '../server-fault.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined }
export type Logger = (level: LogLevel, message: string, fields?: LogFields) => void

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const colours = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

export interface LoggerOptions {
  /** From BRIDLE_LOG; default `info` for machines and `warn` on a terminal. `silent` writes nothing. */
  readonly level?: string | undefined
  readonly isTerminal: boolean
  readonly write: (line: string) => void
  readonly now: () => number
}

export const createLogger = ({ level, isTerminal, write, now }: LoggerOptions): Logger => {
  const least =
    level === 'silent' ? levels.length : levels.indexOf((level ?? (isTerminal ? 'warn' : 'info')) as LogLevel)
  if (least < 0)
    throw new ServerFault('log_level_invalid', `BRIDLE_LOG is ${levels.join(', ')} or silent, not "${level}".`)
  return (lineLevel, message, fields = {}) => {
    if (levels.indexOf(lineLevel) < least) return
    const time = new Date(now()).toISOString()
    if (!isTerminal) return write(JSON.stringify({ time, level: lineLevel, message, ...fields }))
    const more = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
    write(
      `${styleText('gray', time.slice(11, 19))} ${styleText(colours[lineLevel], lineLevel)} ${message} ${styleText('gray', more.join(' '))}`,
    )
  }
}

/** Writes to standard error, at the level of BRIDLE_LOG. */
export const standardLogger = (env: NodeJS.ProcessEnv, now: () => number): Logger =>
  createLogger({
    level: env.BRIDLE_LOG,
    isTerminal: process.stderr.isTTY ?? false,
    write: (line) => process.stderr.write(`${line}\n`),
    now,
  })
