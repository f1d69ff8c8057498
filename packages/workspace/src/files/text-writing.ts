// Writes atomically: to a temporary file, then a rename. Readers see the old file or the new one.
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync as fsyncCallback,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
  writeFile as writeCallback,
} from 'node:fs'
import { promisify } from 'node:util'
import { isGitName } from '@bridle/runners/sandboxes/protection/git-name'
import { type OpenFolder, openFileIn, pathIn } from '@bridle/system/folders/open-folder'
import type { ConfinedFolder, WorkspacePlace } from './confined-folder.ts'
import { shown, WorkspaceError } from './workspace-error.ts'

const { O_CREAT, O_EXCL, O_WRONLY, W_OK } = constants
const [fsync, writeWhole] = [promisify(fsyncCallback), promisify(writeCallback)]

/** Prefix of temporary files. */
export const UNFINISHED = '.bridle-write-'

/** Creates missing parent folders. Resolves to false if the file existed. */
export const writeText = (folder: ConfinedFolder, place: WorkspacePlace, text: string): Promise<boolean> => {
  // Hooks and settings in there run when the next person calls git.
  if (place.parts.some(isGitName))
    throw new WorkspaceError('protected', `${shown(place.path)} belongs to git. Only git changes it.`)
  // The server would run the file outside any sandbox.
  if (folder.isProtected(place.real))
    throw new WorkspaceError(
      'protected',
      `${shown(place.path)} is loaded by the server, so an agent that works in place only reads it. Ask the person to change it.`,
    )
  return folder.around(place, (parent, name) => replaceFile(parent, name, place.path, text), { makes: true })
}

const replaceFile = async (parent: OpenFolder, name: string, path: string, text: string): Promise<boolean> => {
  const before = writableFile(parent, name, path)
  const unfinished = `${UNFINISHED}${randomUUID()}`
  const descriptor = openFileIn(parent, unfinished, O_CREAT | O_EXCL | O_WRONLY)
  try {
    try {
      await writeWhole(descriptor, text)
      keepOwner(descriptor, parent, before)
      await fsync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(pathIn(parent, unfinished), pathIn(parent, name))
  } catch (error) {
    rmSync(pathIn(parent, unfinished), { force: true })
    throw error
  }
  return before === undefined
}

/** Checked first, because a rename would replace even a read-only file, a pipe or a device. */
const writableFile = (parent: OpenFolder, name: string, path: string): Stats | undefined => {
  const before = lstatSync(pathIn(parent, name), { throwIfNoEntry: false })
  if (before === undefined) return undefined
  if (before.isSymbolicLink())
    throw new WorkspaceError('changed_meanwhile', `${shown(path)} became a link during the call. Try again.`)
  if (!before.isFile()) {
    const kind = before.isDirectory() ? 'a folder' : 'neither a file nor a folder'
    throw new WorkspaceError('not_a_file', `${shown(path)} is ${kind}.`)
  }
  accessSync(pathIn(parent, name), W_OK)
  return before
}

/** Keeps the mode. As root, also keeps the owner, or uses the folder's: commands run as that user. */
const keepOwner = (descriptor: number, parent: OpenFolder, before: Stats | undefined): void => {
  if (process.getuid?.() === 0) {
    const { uid, gid } = before ?? fstatSync(parent.descriptor)
    fchownSync(descriptor, uid, gid)
  }
  if (before) fchmodSync(descriptor, before.mode & 0o777)
}
