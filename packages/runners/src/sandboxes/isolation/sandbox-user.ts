// The user for engines of a root server or runner. Root in a user namespace is still root to files and sockets outside it.
import { chmodSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface SandboxUser {
  readonly uid: number
  readonly gid: number
}

/**
 * A number that no system gives away: above those of people (up to 60,000) and of systemd's homes, below those of systemd's
 * dynamic users (61,184 to 65,519), of which one would otherwise own the files of sessions.
 */
const DEFAULT_ID = 61_017

export const SANDBOX_USER_VARIABLE = 'BRIDLE_SANDBOX_UID'

/** Null where this process is an ordinary user, or where the platform has no users of this kind. */
export const sandboxUser = (env: NodeJS.ProcessEnv = process.env): SandboxUser | null => {
  if (process.getuid?.() !== 0) return null
  const { [SANDBOX_USER_VARIABLE]: named } = env
  if (named !== undefined && !/^[1-9]\d{0,8}$/.test(named))
    throw new Error(`BRIDLE_SANDBOX_UID is "${named}"; it is to be the number of a user other than root.`)
  const id = Number(named ?? DEFAULT_ID)
  return { uid: id, gid: id }
}

/** Lets other users pass through a folder to one inside that they own. They cannot list it; its files keep their modes. */
export const allowTraversal = (folder: string): void => chmodSync(folder, (statSync(folder).mode & 0o7777) | 0o001)

/** Why engines of root, without walls to look through, cannot reach these paths, in a sentence to act on; null = they can. */
export const accessProblem = (paths: readonly string[]): string | null => {
  const user = sandboxUser()
  const closed = user && paths.map(closedFolder).find((folder) => folder !== null)
  if (!user || !closed) return null
  return `Started by root, engines run as user ${user.uid}, who cannot enter ${closed}. Run as an ordinary user, or use folders that others can enter.`
}

/** The first folder on the way to `path` that other users cannot enter; null = there is none. */
const closedFolder = (path: string): string | null => {
  const above: string[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    above.unshift(folder)
    if (folder === dirname(folder)) break
  }
  return above.find((folder) => (statSync(folder).mode & 0o001) === 0) ?? null
}
