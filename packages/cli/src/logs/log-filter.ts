import { nearestName } from '@bridle/kernel/text/nearest-name'
import { usageError } from '../command/command.ts'
import type { LogEvent } from './log-event.ts'

export interface LogFilterFlags {
  readonly type?: readonly string[]
  readonly tool?: string
  readonly status?: string
  readonly grep?: string
}

export const logFilter = ({ type: types, tool, status, grep }: LogFilterFlags): ((event: LogEvent) => boolean) => {
  const wanted = wantedTypes(types)
  const pattern = grep === undefined ? null : patternOf(grep)
  return (event) =>
    (!wanted || wanted.has(event.type)) &&
    (tool === undefined || toolOf(event) === tool) &&
    (status === undefined || event.payload.status === status) &&
    (pattern === null || pattern.test(JSON.stringify(event)))
}

/** Why no events of these types may appear: misspelt, or of another tier. Agents may define types of their own. */
export const typeHint = (
  types: readonly string[] | undefined,
  known: readonly { readonly type: string; readonly tier: string }[],
  tier: string,
): string => {
  for (const type of wantedTypes(types) ?? []) {
    const row = known.find((each) => each.type === type)
    if (row && tier === 'default' && row.tier !== 'default') return ` ${type} is shown with --tier debug.`
    const near = row
      ? null
      : nearestName(
          type,
          known.map((each) => each.type),
        )
    if (near !== null) return ` Did you mean --type ${near}?`
  }
  return ''
}

const wantedTypes = (types: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  types && new Set(types.flatMap((each) => each.split(',')))

export const toolOf = ({ type, payload }: LogEvent): string | null => {
  const name = type === 'tool_call' ? payload.name : payload.tool_name
  return typeof name === 'string' ? name : null
}

const patternOf = (grep: string): RegExp => {
  try {
    return new RegExp(grep, 'i')
  } catch {
    throw usageError(`--grep ${grep} is not a regular expression.`)
  }
}
