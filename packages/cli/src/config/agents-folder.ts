// The agents folder: `--agents`, BRIDLE_AGENTS, `agents` in the settings file, or agents/.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerOptions } from '@bridle/server/node/index'
import { usageError } from '../command/command.ts'

export const agentsSetting = (
  flags: { readonly agents?: string },
  env: NodeJS.ProcessEnv,
  config: ServerOptions = {},
): ServerOptions['agents'] => {
  const setting = flags.agents ?? (env.BRIDLE_AGENTS || config.agents)
  return typeof setting === 'string' ? folderOfAgents(setting) : setting
}

/** Also accepts a project folder that contains `agents`. */
const folderOfAgents = (folder: string): string => {
  const inside = join(folder, 'agents')
  if (isFolder(inside)) return inside
  if (isFolder(folder)) return folder
  throw usageError(`There is no folder "${folder}" with agents.`)
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
