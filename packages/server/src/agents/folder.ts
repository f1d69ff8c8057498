// Agents as files in `agents/` and `.fabricharness/agents/`, each a default export. A broken file is reported; the others work.

import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type AgentDefinition, isAgent, nonAgentProblem } from '@bridle/agents/agent'
import { type LoadProblem, loadProblem } from './load-problem.ts'
import { type ProjectModules, projectModules } from './project-modules.ts'

/** Editors write a file in several steps within some milliseconds; they count as one change. */
const FILE_SETTLE_MS = 100
/** Characters of a problem with an agent's file: one line of a terminal or a log. */
const PROBLEM_CHARS_MAX = 300
/** Folders that are watched: with more, the limit of the operating system is near, and a change there needs a restart. */
const WATCHED_FOLDERS_MAX = 500

export type AgentFile =
  /** Another definition than before: the file, or a file of the project that it imports, has changed. */
  { readonly file: string; readonly definition: AgentDefinition } | BrokenAgentFile

export interface BrokenAgentFile {
  /** Relative to the root. */
  readonly file: string
  /** The agent's name when the file was last valid, else the name of the file. */
  readonly name: string
  /** A single line. */
  readonly problem: string
  /** The source around the error, in several lines. */
  readonly frame?: string
}

/** The option `agents` of a server: a text is the folder of the files, in place of `agents` below the root. */
type AgentsFolder = string | readonly AgentDefinition[]

/** In order of folder and file name. Files are relative to the root, so that no message shows a path of the machine. */
export const findAgents = async (below: string, agents?: AgentsFolder): Promise<AgentFile[]> => {
  const modules = projectModules(below)
  modules.refresh()
  const found: AgentFile[] = []
  for (const folder of foldersOf(modules.root, agents)) {
    for (const file of await agentFiles(modules.root, folder)) found.push(await load(modules, file))
  }
  const owners = new Map<string, string>()
  return found.map((each) => {
    if (!('definition' in each)) return each
    const { file, definition } = each
    const owner = owners.get(definition.name)
    if (owner === undefined) owners.set(definition.name, file)
    return owner === undefined
      ? each
      : brokenAgentFile(file, { problem: `The name "${definition.name}" is taken by ${owner}.` })
  })
}

/** Calls back after a change of agent files, files that they import, package.json or packages. The callback loads the agents. */
export const watchAgents = (
  root: string,
  onChange: () => Promise<void> | void,
  agents?: AgentsFolder,
): { readonly close: () => void } => {
  let timer: NodeJS.Timeout | undefined
  let watchers: FSWatcher[] = []
  let isClosed = false
  const load = async () => {
    await onChange()
    if (isClosed) return
    attach()
    // A file that was written while its folder was not watched yet.
    if (projectModules(root).hasChanged) changed()
  }
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void load(), FILE_SETTLE_MS)
  }
  const open = (path: string, isOurs: (name: string | null) => boolean): FSWatcher[] => {
    try {
      // The watcher of a removed folder ends; the watcher of the folder above sees a new one.
      return [watch(path, (_kind, name) => isOurs(name) && changed()).on('error', () => {})]
    } catch {
      return []
    }
  }
  const attach = () => {
    const replaced = watchers
    const { files } = projectModules(root)
    const own = foldersOf(root, agents).map((each) => resolve(root, each))
    const folders = new Set([...own, ...files.map(dirname)])
    folders.delete(resolve(root))
    watchers = [
      ...open(
        root,
        (name) =>
          name === null ||
          ROOT_NAMES.has(name) ||
          own.some((each) => [each, dirname(each)].includes(resolve(root, name))) ||
          files.includes(resolve(root, name)),
      ),
      ...own.filter((each) => dirname(each) !== resolve(root)).flatMap((each) => open(dirname(each), () => true)),
      ...open(join(root, 'node_modules'), () => true),
      ...[...folders].slice(0, WATCHED_FOLDERS_MAX).flatMap((folder) => open(folder, () => true)),
    ]
    for (const watcher of replaced) watcher.close()
  }
  attach()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

const ROOT_NAMES = new Set(['agents', '.fabricharness', 'package.json', 'node_modules'])
const FOLDERS = ['agents', '.fabricharness/agents']

/** Relative to the root. */
const foldersOf = (root: string, agents?: AgentsFolder): readonly string[] =>
  typeof agents === 'string' ? [relative(root, resolve(root, agents)).replaceAll('\\', '/') || '.'] : FOLDERS

const agentFiles = async (root: string, folder: string): Promise<string[]> => {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => !entry.isDirectory() && /^[^._].*\.(ts|js|mjs)$/.test(entry.name))
    .filter((entry) => !/\.(d|test|spec|suite)\.\w+$/.test(entry.name))
    .map((entry) => `${folder}/${entry.name}`)
    .sort()
}

const load = async (modules: ProjectModules, file: string): Promise<AgentFile> => {
  try {
    const { default: definition } = (await modules.load(file)) as { default?: unknown }
    return isAgent(definition)
      ? { file, definition }
      : brokenAgentFile(file, { problem: nonAgentProblem(definition, 'file') })
  } catch (error) {
    return brokenAgentFile(file, loadProblem(error, file, modules))
  }
}

const brokenAgentFile = (file: string, { problem, frame }: LoadProblem): AgentFile => {
  const name = (/([^/]*)\.\w+$/.exec(file)?.[1] ?? file).replaceAll(/[^A-Za-z0-9._:@-]/g, '-').slice(0, 128)
  const line = (problem.split('\n', 1)[0] ?? '').slice(0, PROBLEM_CHARS_MAX)
  return { file, name, problem: line, ...(frame !== undefined && { frame }) }
}
