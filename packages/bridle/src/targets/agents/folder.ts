// Agents as files: `agents/*.{ts,js,mjs}` and `.fabricharness/agents/` below a root, each with an agent as its default
// export. A broken file is reported with its problem; the other files work.

import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AgentDefinition, isAgent, nonAgentProblem } from '../../agents/agent.ts'
import { FILE_SETTLE_MS, PROBLEM_CHARS_MAX } from './limits.ts'

export type AgentFile =
  | { readonly file: string; readonly definition: AgentDefinition }
  /** `name` comes from the file: the agent's name is unknown. */
  | { readonly file: string; readonly name: string; readonly problem: string }

/** The option `agents` of a server: a text is the folder of the files, in place of `agents` below the root. */
type AgentsFolder = string | readonly AgentDefinition[]

/** In order of folder and file name. Files are relative to the root, so that no message shows a path of the machine. */
export const findAgents = async (below: string, agents?: AgentsFolder): Promise<AgentFile[]> => {
  const root = resolve(below)
  const found: AgentFile[] = []
  for (const folder of foldersOf(root, agents)) {
    for (const file of await agentFiles(root, folder)) found.push(await load(root, file))
  }
  const owners = new Map<string, string>()
  return found.map((each) => {
    if (!('definition' in each)) return each
    const { file, definition } = each
    const owner = owners.get(definition.name)
    if (owner === undefined) owners.set(definition.name, file)
    return owner === undefined ? each : brokenAgentFile(file, `The name "${definition.name}" is taken by ${owner}.`)
  })
}

/** Calls back soon after a file in one of the folders was changed, added or removed. */
export const watchAgents = (
  root: string,
  onChange: () => void,
  agents?: AgentsFolder,
): { readonly close: () => void } => {
  let timer: NodeJS.Timeout | undefined
  let inner: FSWatcher[] = []
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, FILE_SETTLE_MS)
  }
  const open = (path: string, listener: (name: string | null) => void): FSWatcher[] => {
    try {
      // The watcher of a removed folder ends; the watcher of the folder above sees a new one.
      return [watch(path, (_kind, name) => listener(name)).on('error', () => {})]
    } catch {
      return []
    }
  }
  const attach = () => {
    for (const watcher of inner) watcher.close()
    const hidden = open(join(root, '.fabricharness'), (name) => {
      if (name === 'agents') again()
    })
    inner = [...hidden, ...foldersOf(root, agents).flatMap((folder) => open(join(root, folder), changed))]
  }
  const again = () => {
    attach()
    changed()
  }
  const [above, names] =
    typeof agents === 'string'
      ? [dirname(resolve(root, agents)), [basename(resolve(root, agents))]]
      : [root, ['agents', '.fabricharness']]
  const top = open(above, (name) => {
    if (name !== null && names.includes(name)) again()
  })
  attach()
  return {
    close: () => {
      clearTimeout(timer)
      for (const watcher of [...top, ...inner]) watcher.close()
    },
  }
}

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

const load = async (root: string, file: string): Promise<AgentFile> => {
  try {
    const path = join(root, file)
    const { mtimeMs, size } = await stat(path)
    // Node loads a module once per address, so a changed file needs a new address.
    const address = `${pathToFileURL(path).href}?changed=${mtimeMs}-${size}`
    const { default: definition } = (await import(/* @vite-ignore */ address)) as { default?: unknown }
    return isAgent(definition) ? { file, definition } : brokenAgentFile(file, nonAgentProblem(definition, 'file'))
  } catch (error) {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return brokenAgentFile(file, problem.replaceAll(pathToFileURL(`${root}/`).href, '').replaceAll(`${root}/`, ''))
  }
}

const brokenAgentFile = (file: string, problem: string): AgentFile => {
  const name = (/([^/]*)\.\w+$/.exec(file)?.[1] ?? file).replaceAll(/[^A-Za-z0-9._:@-]/g, '-').slice(0, 128)
  return { file, name, problem: (problem.split('\n', 1)[0] ?? '').slice(0, PROBLEM_CHARS_MAX) }
}
