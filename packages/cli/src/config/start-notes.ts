// Warns about settings without effect: unread files or variables, missing agents or folders.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { missingPageText } from '@bridle/server/node/http/app-files'
import type { HarnessServer, ServerOptions } from '@bridle/server/node/index'
import { settingRows, variablesOf } from '@bridle/server/settings'

export const earlyNotes = (env: NodeJS.ProcessEnv): readonly string[] => [...ignoredFileNotes(), ...variableNotes(env)]

export const readyNotes = (
  { agents }: Pick<HarnessServer, 'agents'>,
  { cockpit, defaultAgent }: Pick<ServerOptions, 'cockpit' | 'defaultAgent'>,
  env: NodeJS.ProcessEnv,
): readonly string[] => {
  const missingPage = typeof cockpit === 'string' ? missingPageText(cockpit) : null
  return [
    ...(missingPage === null ? [] : [missingPage]),
    ...defaultAgentNotes(env, { agents: agents.keys(), defaultAgent }),
  ]
}

export const ignoredFileNotes = (folder = '.'): readonly string[] => {
  const there = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true
  return [
    ...CONFIGS.filter(there).map((name) => `${name} is not read: settings belong into bridle.config.ts, .js or .mjs.`),
    ...VARIABLES.filter(there).map((name) => `${name} is not read: variables belong into .env.`),
  ]
}

const CONFIGS = ['cjs', 'mts', 'cts', 'json'].map((ending) => `bridle.config.${ending}`)
const VARIABLES = ['.env.local', '.env.development', '.env.production']

const isOurs = (name: string): boolean => /^(BRIDLE|FABRIC_HARNESS)_/.test(name)

const settable = settingRows.flatMap(variablesOf).filter(isOurs)

const mistakes = new Map(
  settingRows.flatMap((row) => {
    const { mistakes = [], flag = '' } = row[1]
    return mistakes.map((name): [string, string] => [name, variablesOf(row)[0] ?? flag.split(' ', 1).join('')])
  }),
)

/** Set by Bridle processes for each other. */
export const INTERNAL_VARIABLES: readonly string[] = [
  'BRIDLE_DEV_REPORTS',
  'BRIDLE_ENGINE_MARK',
  'BRIDLE_MCP_TOKEN',
  'BRIDLE_MCP_URL',
  'BRIDLE_RELAY',
  'BRIDLE_RUNNER_PRIVATE',
  'BRIDLE_RUNNER_SOCKET',
  'BRIDLE_RUNNER_WALLS',
  'BRIDLE_SANDBOX_ID',
  'BRIDLE_SECRETS_FILE',
]

/** Used by Bridle's examples, tests and benchmarks. */
export const OTHER_VARIABLES: readonly string[] = [
  'BRIDLE_CRASH_CONTROL',
  'BRIDLE_CRASH_DISK',
  'BRIDLE_FUZZ_INPUTS',
  'BRIDLE_LOADING_TEST',
  'BRIDLE_ROWS',
  'BRIDLE_ROW_AGENTS',
  'BRIDLE_SEED',
  'BRIDLE_TEMPLATES',
  'BRIDLE_TENTH',
  'BRIDLE_TESTS',
  'BRIDLE_TEST_EFFECTS',
  'BRIDLE_TEST_SECRET',
  'BRIDLE_VARIANTS',
]

/** Printed before the server starts, because a misspelt variable may be why it cannot. */
export const variableNotes = (env: NodeJS.ProcessEnv): readonly string[] => [
  ...Object.keys(env).filter(isUnknown).toSorted().map(unknownNote),
  ...(env.BRIDLE_ENGINES && !existsSync(env.BRIDLE_ENGINES)
    ? [`BRIDLE_ENGINES is ${env.BRIDLE_ENGINES}, and there is no such folder.`]
    : []),
]

const isUnknown = (name: string): boolean =>
  isOurs(name) && ![settable, INTERNAL_VARIABLES, OTHER_VARIABLES].some((names) => names.includes(name))

const unknownNote = (name: string): string => {
  const near = nearestEnd(name, [...settable, ...mistakes.keys()])
  return `${name} is not read.${near === null ? '' : ` Did you mean ${mistakes.get(near) ?? near}?`}`
}

/** Compares names without their common prefix. */
const nearestEnd = (name: string, candidates: readonly string[]): string | null => {
  const end = (each: string) => each.replace(/^(BRIDLE|FABRIC_HARNESS)_/, '')
  const near = nearestName(end(name), candidates.map(end))
  return candidates.find((each) => end(each) === near) ?? null
}

/** Warns about an unknown default agent. The settings file overrides the variable. */
export const defaultAgentNotes = (
  { BRIDLE_AGENT }: NodeJS.ProcessEnv,
  { agents, defaultAgent }: { readonly agents: Iterable<string>; readonly defaultAgent?: string | undefined },
): readonly string[] => {
  const name = defaultAgent ?? BRIDLE_AGENT
  const names = [...agents]
  if (!name || names.includes(name)) return []
  const near = nearestName(name, names)
  const from = defaultAgent === undefined ? 'BRIDLE_AGENT' : 'defaultAgent'
  return [`${from} is ${name}, and there is no such agent.${near === null ? '' : ` Did you mean ${near}?`}`]
}
