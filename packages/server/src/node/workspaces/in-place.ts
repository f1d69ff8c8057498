// The session writes into a person's folder. That person must own it, have named it on their own server, and it must not
// contain much more than a project.
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { relative, sep } from 'node:path'
import { type SandboxUser, sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { protectionProblem } from '@bridle/runners/sandboxes/protection/held-protection'
import { isWithin } from '@bridle/runners/sandboxes/protection/protected-places'
import { SERVER_DATA } from '@bridle/workspace/review/owners-files'

export interface PlaceFacts {
  /** User of the server; null on platforms without such users. */
  readonly uid: number | null
  /** User of the sandboxes, if it differs. */
  readonly agentUser: SandboxUser | null
  readonly home: string
}

const here = (): PlaceFacts => ({ uid: process.getuid?.() ?? null, agentUser: sandboxUser(), home: homedir() })

/** `path` is without links. Returns why no session may work there, and the fix; null if one may. */
export const inPlaceProblem = async (
  path: string,
  data: string,
  noSandbox: string | null = null,
  facts = here(),
): Promise<string | null> => {
  const home = await realpath(facts.home).catch(() => facts.home)
  if (isWithin(home, path))
    return 'This folder holds the home folder of the server’s user. Name a folder of a project, or use the mode write.'
  const { uid } = await stat(path)
  const agent = facts.agentUser?.uid ?? facts.uid
  if (agent !== null && uid !== agent)
    return facts.agentUser
      ? `The server runs as root and its agents as user ${agent}, who cannot write here. Start the server as the owner of the folder, or use the mode write.`
      : 'The folder belongs to another user. Name one of the server’s user, or use the mode write.'
  // In-process agents' tools recognize a server's data folder by its name.
  if (isWithin(data, path) && !relative(path, data).split(sep).includes(SERVER_DATA))
    return `The data folder of the server lies in this folder. Call it ${SERVER_DATA} or move it (--data), or use the mode write.`
  return protectionProblem(path, noSandbox)
}
