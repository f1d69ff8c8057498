// The folder of agent files: `--agents`, else BRIDLE_AGENTS, else `agents` of the settings file, else agents/.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerOptions } from '@bridle/server/node/index'
import { usageError } from '../command/command.ts'

/** The agents of a server: a folder of files, or definitions from the settings file. Undefined = what the server does by itself. */
export const agentsSetting = (
  flags: { readonly agents?: string },
  env: NodeJS.ProcessEnv,
  config: ServerOptions = {},
): ServerOptions['agents'] => {
  const setting = flags.agents ?? (env.BRIDLE_AGENTS || config.agents)
  return typeof setting === 'string' ? folderOfAgents(setting) : setting
}

/** A project may be named in place of its folder `agents`: people name what they see. */
const folderOfAgents = (folder: string): string => {
  const inside = join(folder, 'agents')
  if (isFolder(inside)) return inside
  if (isFolder(folder)) return folder
  throw usageError(`There is no folder "${folder}" with agents.`)
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
