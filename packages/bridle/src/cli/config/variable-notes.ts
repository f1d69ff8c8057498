// Variables that change nothing: a name that nobody reads, an agent or a folder that is not there. A line about each tells its
// author why.
import { existsSync } from 'node:fs'
import { nearestName } from '../../kernel/text/nearest-name.ts'
import { INTERNAL_NAMES, OTHER_NAMES, VARIABLE_NAMES } from './variable-names.ts'

/** Names that people expect, and the setting that they mean. */
const EXPECTED: Readonly<Record<string, string>> = {
  BRIDLE_AUTH_TOKEN: 'FABRIC_HARNESS_API_TOKEN',
  BRIDLE_HOST: '--host',
  BRIDLE_PORT: 'PORT',
  BRIDLE_TENANT_REQUIRED: 'FABRIC_HARNESS_TENANT_REQUIRED',
  BRIDLE_TOKEN: 'FABRIC_HARNESS_API_TOKEN',
}

export interface ServedNames {
  /** The agents that there are. */
  readonly agents: Iterable<string>
  /** `defaultAgent` of the settings file, which goes before the variable. */
  readonly defaultAgent?: string | undefined
}

/** A line for each, before the server starts: a misspelt variable may be the reason why it cannot. */
export const variableNotes = (env: NodeJS.ProcessEnv): readonly string[] => [
  ...Object.keys(env).filter(isUnknown).toSorted().map(unknownNote),
  ...(env.BRIDLE_ENGINES && !existsSync(env.BRIDLE_ENGINES)
    ? [`BRIDLE_ENGINES is ${env.BRIDLE_ENGINES}, and there is no such folder.`]
    : []),
]

const isUnknown = (name: string): boolean =>
  /^(BRIDLE|FABRIC_HARNESS)_/.test(name) &&
  ![VARIABLE_NAMES, INTERNAL_NAMES, OTHER_NAMES].some((names) => names.includes(name))

const unknownNote = (name: string): string => {
  const near = nearestEnd(name, [...VARIABLE_NAMES, ...Object.keys(EXPECTED)])
  return `${name} is not read.${near === null ? '' : ` Did you mean ${EXPECTED[near] ?? near}?`}`
}

/** The prefix says nothing about what was meant, so only the rest of the names is compared. */
const nearestEnd = (name: string, candidates: readonly string[]): string | null => {
  const end = (each: string) => each.replace(/^(BRIDLE|FABRIC_HARNESS)_/, '')
  const near = nearestName(end(name), candidates.map(end))
  return candidates.find((each) => end(each) === near) ?? null
}

/** A line about a default agent that the server, once it is there, does not have. */
export const defaultAgentNotes = (
  { BRIDLE_AGENT }: NodeJS.ProcessEnv,
  { agents, defaultAgent }: ServedNames,
): readonly string[] => {
  const name = defaultAgent ?? BRIDLE_AGENT
  const names = [...agents]
  if (!name || names.includes(name)) return []
  const near = nearestName(name, names)
  const from = defaultAgent === undefined ? 'BRIDLE_AGENT' : 'defaultAgent'
  return [`${from} is ${name}, and there is no such agent.${near === null ? '' : ` Did you mean ${near}?`}`]
}
