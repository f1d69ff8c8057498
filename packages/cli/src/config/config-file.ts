import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tryOr } from '@bridle/kernel/try-or'
import { UnconfirmedFileError } from '@bridle/server/agents/import-errors'
import type { ServerOptions } from '@bridle/server/node/index'
import { optionProblem } from '@bridle/server/option-problem'
import { optionsOn } from '@bridle/server/settings'
import { failure, usageError } from '../command/command.ts'
import { dataFolderOf } from './default-data.ts'

const NAMES = ['ts', 'js', 'mjs'].map((ending) => `bridle.config.${ending}`)

/** The file's default export, or empty without a file. `data` is the data folder, which has the digests of confirmed files. */
export const readConfigFile = async (folder = '.', data = dataFolderOf({}, folder)): Promise<ServerOptions> => {
  // During in-place sessions, an empty folder reserves the name of a missing file.
  const isFile = (each: string) => statSync(resolve(folder, each), { throwIfNoEntry: false })?.isFile()
  const [name, other] = NAMES.filter(isFile)
  if (name === undefined) return {}
  if (other !== undefined)
    throw usageError(`${name} and ${other} are both here, and only one is read: remove the other.`)
  const config = await load(folder, name, data)
  const problem = isPlainObject(config)
    ? optionProblem(config, optionsOn('node'))
    : 'the default export must be an object, such as { port: 8080 }.'
  if (problem !== null) throw usageError(`${name}: ${problem}`)
  return config
}

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const load = async (folder: string, name: string, data: string): Promise<ServerOptions> => {
  const { withGuard } = await import('@bridle/server/agents/trust/guarded-loading')
  try {
    const { href } = pathToFileURL(resolve(folder, name))
    // The file and its imports run here, so they must not have been written by an agent.
    const module = await withGuard(folder, data, () => import(href) as Promise<{ default?: ServerOptions }>)
    return module.default ?? {}
  } catch (error) {
    if (error instanceof UnconfirmedFileError) throw failure(error.message)
    const why = error instanceof SyntaxError ? await syntaxProblem(error, folder, name) : messageOf(error)
    throw usageError(`${name} cannot be read: ${why}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** With the position of the error. Detects a file that would be valid as an ES module. */
const syntaxProblem = async (error: SyntaxError, folder: string, name: string): Promise<string> => {
  const { loadProblem } = await import('@bridle/server/agents/load-problem')
  const { projectModules } = await import('@bridle/server/agents/project-modules')
  const { problem } = loadProblem(error, name, projectModules(folder))
  return isCommonJs(folder) && !name.endsWith('.mjs')
    ? `${problem}. If it is right as a module, run: npm pkg set type=module`
    : problem
}

const isCommonJs = (folder: string): boolean =>
  tryOr(
    false,
    () => (JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as { type?: unknown }).type === 'commonjs',
  )
