// Folders from which servers load code and settings. A server registers its own; projects of other servers are found by their files.
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson } from '../../process/json-file.ts'

/** Levels below a work folder at which projects of Bridle are looked for: `apps/web/bot` is the third. */
const PROJECT_DEPTH_MAX = 4
/** Folders that are looked at for projects: some 50 ms on a warm disk. */
const PROJECT_FOLDERS_MAX = 3_000

/** A folder from which a server loads, and the folders of its agent files. All paths are absolute. */
export interface ServerProject {
  readonly root: string
  readonly agents: readonly string[]
  /** The data folder of its server; absent = another server has it. */
  readonly data?: string
}

export const AGENT_FOLDERS = ['agents', '.fabricharness/agents']

const registered = new Set<ServerProject>()

/** Returns a function that takes the project back. One process can run several servers. */
export const registerProject = (project: ServerProject): (() => void) => {
  registered.add(project)
  return () => registered.delete(project)
}

export const registeredProjects = (): readonly ServerProject[] => [...registered]

/** The folder in which sandboxes of this data folder note their placeholders. */
export const leasesOf = (data: string): string => join(data, 'placeholders')

/** The same for a sandbox that this process starts; without a server, a folder of this user. */
export const ownLeases = (): string => {
  const data = [...registered].find((project) => project.data !== undefined)?.data
  return data === undefined ? join(tmpdir(), `bridle-placeholders-${process.getuid?.() ?? 0}`) : leasesOf(data)
}

const CONFIG_NAMES = ['ts', 'js', 'mjs'].map((ending) => `bridle.config.${ending}`)

/** The names of settings files that a server reads in the folder where it starts. */
export const SETTINGS_NAMES: readonly string[] = ['.env', ...CONFIG_NAMES]

/** Whether a server loads packages in this folder: it has a settings file, agent files, or Bridle among its dependencies. */
export const isProject = (folder: string, agents: readonly string[] = []): boolean =>
  CONFIG_NAMES.some((name) => isFile(join(folder, name))) ||
  agents.some(hasAgentFiles) ||
  existsSync(join(folder, 'node_modules/bridle/package.json')) ||
  dependsOnBridle(join(folder, 'package.json'))

/** Whether a server loads something in this folder: it is a project, or a server was started here. A placeholder is empty. */
const isServed = (folder: string): boolean =>
  isProject(folder) ||
  entriesOf(join(folder, '.bridle')).length > 0 ||
  entriesOf(join(folder, '.fabricharness')).length > 0

/** The projects in this folder and further below, as far as a short walk sees them. */
export const projectsBelow = (work: string): ServerProject[] => {
  const found: ServerProject[] = []
  let folders = [work]
  let left = PROJECT_FOLDERS_MAX
  for (let depth = 0; depth <= PROJECT_DEPTH_MAX && folders.length > 0; depth++) {
    const next: string[] = []
    for (const folder of folders) {
      if (left-- <= 0) return found
      if (isServed(folder)) found.push(projectAt(folder))
      for (const entry of entriesOf(folder))
        if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) next.push(join(folder, entry.name))
    }
    folders = next
  }
  return found
}

export const projectsAbove = (work: string): ServerProject[] => {
  const above = dirname(work)
  if (above === work) return []
  return [...(isServed(above) ? [projectAt(above)] : []), ...projectsAbove(above)]
}

const projectAt = (root: string): ServerProject => ({ root, agents: AGENT_FOLDERS.map((name) => resolve(root, name)) })

/** Folders in which nobody keeps a project, and which can be very large. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.bridle',
  '.venv',
  'target',
  'dist',
  'build',
])

const entriesOf = (folder: string) => tryOr([], () => readdirSync(folder, { withFileTypes: true }))

const hasAgentFiles = (folder: string): boolean =>
  entriesOf(folder).some((entry) => !entry.isDirectory() && /\.(ts|js|mjs)$/.test(entry.name))

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false

const dependsOnBridle = (file: string): boolean => {
  const { dependencies, devDependencies } = (readJson(file) ?? {}) as Record<string, object | undefined>
  return 'bridle' in { ...dependencies, ...devDependencies }
}
