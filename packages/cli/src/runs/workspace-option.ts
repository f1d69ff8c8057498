import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CliCommand, usageError } from '../command/command.ts'
import { isLocalUrl } from '../config/server-url.ts'

export const workspaceOptions = {
  workspace: {
    type: 'string',
    value: 'FOLDER',
    help: 'work with this folder, for a new session; a repository or any other',
  },
  'workspace-mode': {
    type: 'string',
    value: 'MODE',
    help: 'write: on a branch or in a copy, the default; in-place: in the folder itself',
  },
} as const satisfies CliCommand['options']

export interface WorkspaceFlags {
  readonly workspace?: string
  readonly 'workspace-mode'?: string
}

/** The `workspace` of a request. The path is absolute, because the server may run in another folder. */
export interface FolderChoice {
  readonly mode: 'write' | 'in_place'
  readonly source: string
}

export const readWorkspace = (flags: WorkspaceFlags, env: NodeJS.ProcessEnv): FolderChoice | null => {
  const { workspace: folder, 'workspace-mode': named } = flags
  const mode = MODES.get(named ?? 'write')
  if (mode === undefined) throw usageError(`--workspace-mode is "${named}"; it may be write or in-place.`)
  if (folder === undefined) {
    if (named === undefined) return null
    throw usageError('--workspace-mode needs --workspace FOLDER.')
  }
  if (folder.trim() === '') throw usageError('--workspace is empty; write a folder, such as --workspace .')
  return { mode, source: resolve(callerFolder(env), folder) }
}

/** Detects typos before the request. Skipped for remote servers, which have other folders. */
export const checkLocalFolder = (choice: FolderChoice | null, named: string | null): void => {
  if (choice === null || (named !== null && !isLocalUrl(named))) return
  const { source: folder } = choice
  if (!existsSync(folder)) throw usageError(`--workspace: there is no folder ${folder}.`)
  if (!statSync(folder).isDirectory()) throw usageError(`--workspace: ${folder} is no folder.`)
}

const MODES: ReadonlyMap<string, FolderChoice['mode']> = new Map([
  ['write', 'write'],
  ['in-place', 'in_place'],
  ['in_place', 'in_place'],
])

/** `npm run bridle` in a checkout runs in its root and passes the caller's folder in INIT_CWD. */
const callerFolder = (env: NodeJS.ProcessEnv): string =>
  env.npm_lifecycle_event === 'bridle' && env.INIT_CWD ? env.INIT_CWD : process.cwd()
