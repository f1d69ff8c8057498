// Folders from which a harness loads code and settings, for the protection of in-place sessions.
import { resolve } from 'node:path'
import type { Job, Runner } from '@bridle/kernel/ports/runner'
import { probeBubblewrap } from '@bridle/runners/sandboxes/isolation/bubblewrap'
import { parseBackend } from '@bridle/runners/sandboxes/isolation/isolation'
import { AGENT_FOLDERS, type ServerProject } from '@bridle/runners/sandboxes/protection/server-projects'
import { NO_SANDBOX } from '@bridle/runners/sandboxes/runner-launch'
import { type ProjectModules, projectModules } from '../agents/project-modules.ts'
import type { TrustedFiles } from '../agents/trust/trusted-files.ts'
import type { ServerOptions } from './server-options.ts'

/** Settings are read from the working directory; agents may be elsewhere. */
export const serverProjects = ({ agents, agentsRoot = '.', data = DATA }: ServerOptions): ServerProject[] => {
  const started = { root: process.cwd(), agents: [], data: resolve(data) }
  if (agentsRoot === false) return [started]
  const root = resolve(agentsRoot)
  const named = typeof agents === 'string' ? [resolve(root, agents)] : []
  return [started, { root, agents: [...AGENT_FOLDERS.map((name) => resolve(root, name)), ...named] }]
}

/** The server's data folder, and the project's default one, to which `bridle build` writes. */
export const buildFolders = ({ agentsRoot = '.', data = DATA }: ServerOptions): readonly string[] => {
  const own = resolve(data)
  const project = resolve(agentsRoot || '.', DATA)
  return agentsRoot === false || project === own ? [own] : [own, project]
}

const DATA = '.bridle'

/** Checks project files before they are loaded, until the returned function is called. */
export const guardFiles = (
  trust: TrustedFiles,
  { agentsRoot = '.' }: ServerOptions,
  projects: readonly ServerProject[],
) => {
  trust.own(
    projects.flatMap(({ agents }) => agents),
    resolve(agentsRoot || '.'),
  )
  const modules = projectModules(agentsRoot || '.')
  const guard: ProjectModules['guard'] = (path, content) => trust.check(path, content)
  modules.guard = guard
  return () => {
    if (modules.guard === guard) modules.guard = null
  }
}

/** Why no sandbox protects these folders from agents; null if one does. */
export const noSandboxReason = async ({ sandbox }: ServerOptions, env: NodeJS.ProcessEnv): Promise<string | null> => {
  const backend = sandbox?.backend ?? parseBackend(env.BRIDLE_SANDBOX || undefined)
  return backend === 'process' ? NO_SANDBOX : probeBubblewrap()
}

/** Reports that the folder may be written from now on, until the returned function is called. */
export type WritingStart = (work: string) => () => void

export const withWriters = (runner: Runner, begin: WritingStart): Runner => {
  const during = async <T>({ settings }: Job, work: () => Promise<T>): Promise<T> => {
    const { workspace_kind: kind, workspace_path: path } = settings
    if (kind !== 'in_place' || typeof path !== 'string') return work()
    const end = begin(path)
    return work().finally(end)
  }
  return {
    ...runner,
    start: (job, reporter) => during(job, () => runner.start(job, reporter)),
    attach: (job, reporter) => during(job, () => runner.attach(job, reporter)),
  }
}
