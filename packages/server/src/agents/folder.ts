// Files in `agents/` and `.fabricharness/agents/` each default-export an agent. A broken file does not affect the others.

import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type AgentDefinition, isAgent, nonAgentProblem } from '@bridle/agents/agent'
import { type LoadProblem, loadProblem } from './load-problem.ts'
import { type ProjectModules, projectModules } from './project-modules.ts'

/** Debounce: editors write a file in several steps within a few milliseconds. */
const FILE_SETTLE_MS = 100
/** Fits on one line of a terminal or a log. */
const PROBLEM_CHARS_MAX = 300
/** Stay below the operating system's watch limit. Changes in further folders need a restart. */
const WATCHED_FOLDERS_MAX = 500

export type AgentFile = { readonly file: string; readonly definition: AgentDefinition } | BrokenAgentFile

export interface BrokenAgentFile {
  readonly file: string
  /** The agent's name when the file was last valid, otherwise the file name. */
  readonly name: string
  readonly problem: string
  readonly frame?: string
}

/** A string is the folder that replaces `agents` below the root. */
type AgentsFolder = string | readonly AgentDefinition[]

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

/** Reports changes to agent files, their imports, package.json and packages. `onChange` reloads the agents. */
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
    // The file was written before its folder was watched.
    if (projectModules(root).hasChanged) changed()
  }
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void load(), FILE_SETTLE_MS)
  }
  const open = (path: string, isOurs: (name: string | null) => boolean): FSWatcher[] => {
    try {
      // A removed folder ends its watcher; the parent's watcher sees it reappear.
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
