// The settings file of a project: bridle.config.ts, .js or .mjs, whichever is there.

import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerOptions } from '../../targets/node/index.ts'
import { serverOptionProblem } from '../../targets/node/server-option-names.ts'
import { EXIT_CODES, ExitError } from '../command.ts'

const NAMES = ['ts', 'js', 'mjs'].map((ending) => `bridle.config.${ending}`)

/** The default export of the file; nothing where there is no file. */
export const readConfigFile = async (folder = '.'): Promise<ServerOptions> => {
  // While an agent works in place, an empty folder keeps the name of a file that is not there.
  const isFile = (each: string) => statSync(resolve(folder, each), { throwIfNoEntry: false })?.isFile()
  const [name, other] = NAMES.filter(isFile)
  if (name === undefined) return {}
  if (other !== undefined)
    throw new ExitError(EXIT_CODES.usage, `${name} and ${other} are both here, and only one is read: remove the other.`)
  const config = await load(folder, name)
  const problem = isPlainObject(config)
    ? serverOptionProblem(config)
    : 'the default export must be an object, such as { port: 8080 }.'
  if (problem !== null) throw new ExitError(EXIT_CODES.usage, `${name}: ${problem}`)
  return config
}

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const load = async (folder: string, name: string): Promise<ServerOptions> => {
  try {
    const { href } = pathToFileURL(resolve(folder, name))
    return ((await import(href)) as { default?: ServerOptions }).default ?? {}
  } catch (error) {
    const why = error instanceof SyntaxError ? await syntaxProblem(error, folder, name) : messageOf(error)
    throw new ExitError(EXIT_CODES.usage, `${name} cannot be read: ${why}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** With the place of the error. A file that would be right as a module is named as such. */
const syntaxProblem = async (error: SyntaxError, folder: string, name: string): Promise<string> => {
  const { loadProblem } = await import('../../targets/agents/load-problem.ts')
  const { projectModules } = await import('../../targets/agents/project-modules.ts')
  const { problem } = loadProblem(error, name, projectModules(folder))
  return isCommonJs(folder) && !name.endsWith('.mjs')
    ? `${problem}. If it is right as a module, run: npm pkg set type=module`
    : problem
}

const isCommonJs = (folder: string): boolean => {
  try {
    return (JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as { type?: unknown }).type === 'commonjs'
  } catch {
    return false
  }
}
