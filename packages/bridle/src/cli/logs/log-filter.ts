// The filters of `bridle logs`: an event is shown where all of them fit.
import { EXIT_CODES, ExitError } from '../command.ts'
import type { LogEvent } from './log-event.ts'

export interface LogFilterFlags {
  readonly type?: readonly string[]
  readonly tool?: string
  readonly status?: string
  readonly grep?: string
}

export const logFilter = ({ type: types, tool, status, grep }: LogFilterFlags): ((event: LogEvent) => boolean) => {
  const wanted = types && new Set(types.flatMap((each) => each.split(',')))
  const pattern = grep === undefined ? null : patternOf(grep)
  return (event) =>
    (!wanted || wanted.has(event.type)) &&
    (tool === undefined || toolOf(event) === tool) &&
    (status === undefined || event.payload.status === status) &&
    (pattern === null || pattern.test(JSON.stringify(event)))
}

/** The tool that an event is about; null = none. */
export const toolOf = ({ type, payload }: LogEvent): string | null => {
  const name = type === 'tool_call' ? payload.name : payload.tool_name
  return typeof name === 'string' ? name : null
}

const patternOf = (grep: string): RegExp => {
  try {
    return new RegExp(grep, 'i')
  } catch {
    throw new ExitError(EXIT_CODES.usage, `--grep ${grep} is not a regular expression.`)
  }
}
