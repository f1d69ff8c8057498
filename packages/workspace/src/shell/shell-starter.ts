// Starts commands in a bubblewrap sandbox or, if configured, without. Watches their memory, processes and disk usage.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { newProcessMark } from '@bridle/runners/engines/process-mark'
import {
  containedStarter,
  type EngineStarter,
  startUncontained,
} from '@bridle/runners/sandboxes/isolation/engine-start'
import { entryFiles } from '@bridle/runners/sandboxes/isolation/runner-command'
import { accessProblem, sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { holdProtection } from '@bridle/runners/sandboxes/protection/held-protection'
import { ownLeases, registeredProjects } from '@bridle/runners/sandboxes/protection/server-projects'
import { withResourceWatch } from '@bridle/runners/sandboxes/resources/engine-watch'
import { type ExceededLimit, RESOURCE_LIMITS } from '@bridle/runners/sandboxes/resources/resource-limits'
import { SERVER_DATA } from '../files/confined-folder.ts'
import { WorkspaceError } from '../files/workspace-error.ts'

export interface StartedCommand {
  readonly child: ReturnType<EngineStarter>
  endProcesses(): Promise<void>
  removeFolders(): void
}

export type ShellStarter = (command: string, onExceeded: (exceeded: ExceededLimit) => void) => StartedCommand

interface ShellFolder {
  readonly readOnly: boolean
  /** The folder belongs to a person, so commands cannot write git's files or files the server loads. */
  readonly isOwners?: boolean
}

/** No network, and only the host's programs and the workspace are visible. */
export const sandboxedShell =
  (root: string, { readOnly, isOwners = false }: ShellFolder): ShellStarter =>
  (command, onExceeded) => {
    const folders = makeFolders()
    const { folder, home, tmp } = folders
    const view = {
      ...{ work: readOnly ? home : root, state: home, tmp, folder },
      readOnly: [
        ...entryFiles().filter((path) => existsSync(path)),
        ...(readOnly ? [root] : isOwners ? gitFiles(root) : []),
      ],
      hidden: [folder, ...serverData(root)],
    }
    return startIn(root, command, folders, onExceeded, () => {
      const protect =
        isOwners && !readOnly
          ? () => holdProtection(root, { projects: registeredProjects(), leases: ownLeases() })
          : undefined
      const start = containedStarter({ view, ports: new Map(), env: {}, protect })
      return { start, env: shellEnvironment(home, '/tmp') }
    })
  }

/** Write-protected: a hook planted by a command would run at the owner's next commit. */
const gitFiles = (root: string): string[] => [join(root, '.git')].filter((path) => existsSync(path))

/** Data of a server started in the folder, and of this server, which may run from a subfolder. */
const serverData = (root: string): string[] =>
  [...new Set([root, process.cwd()])]
    .filter((folder) => folder === root || folder.startsWith(root + sep))
    .map((folder) => join(folder, SERVER_DATA))
    .filter((folder) => existsSync(folder))

export const plainShell = (root: string): ShellStarter => {
  if (accessProblem([join(root, 'any')]) !== null)
    throw new WorkspaceError(
      'permission_denied',
      'Under root, commands run as another user, who cannot enter the workspace. Let others enter it, or run the server as an ordinary user.',
    )
  return (command, onExceeded) => {
    const folders = makeFolders()
    const { home, tmp } = folders
    // Finds processes that left their parent and group by their environment.
    const mark = newProcessMark()
    const started = startIn(root, command, folders, onExceeded, () => ({
      start: startUncontained,
      env: { ...shellEnvironment(home, tmp), ...mark.env },
    }))
    return { ...started, endProcesses: () => mark.killProcesses() }
  }
}

interface CommandFolders {
  readonly folder: string
  readonly home: string
  readonly tmp: string
}

const startIn = (
  root: string,
  command: string,
  { folder, home, tmp }: CommandFolders,
  onExceeded: (exceeded: ExceededLimit) => void,
  prepare: () => { readonly start: EngineStarter; readonly env: Readonly<Record<string, string>> },
): StartedCommand => {
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    const { start, env } = prepare()
    // Exclude the workspace, which may already be large.
    const watched = withResourceWatch(start, { folders: [home, tmp], limits: RESOURCE_LIMITS, onExceeded })
    // Merge stderr into stdout to preserve order.
    const child = watched({ file: '/bin/sh', args: ['-c', 'exec /bin/sh -c "$0" 2>&1', command], cwd: root, env })
    // The sandbox kills everything when its first process exits.
    return { child, endProcesses: async () => {}, removeFolders: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Excludes the server's environment, which contains its keys. */
const shellEnvironment = (home: string, tmp: string): Readonly<Record<string, string>> => ({
  PATH: [dirname(realpathSync(process.execPath)), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
  HOME: home,
  TMPDIR: tmp,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  // git refuses repositories owned by another user, which the files may be.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
})

/** Deleted after each command, so that nothing carries over. */
const makeFolders = (): CommandFolders => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-shell-')))
  const [home, tmp] = [join(folder, 'home'), join(folder, 'tmp')]
  const user = sandboxUser()
  for (const each of [home, tmp]) {
    mkdirSync(each, { mode: 0o700 })
    if (user) chownSync(each, user.uid, user.gid)
  }
  // The mode of /tmp: in the sandbox, everything below /tmp is reached through this folder.
  chmodSync(tmp, 0o1777)
  // The sandbox user may traverse the folder but not list it.
  if (user) chmodSync(folder, 0o711)
  return { folder, home, tmp }
}
