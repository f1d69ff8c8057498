// On Linux, paths go through `/proc/self/fd`, so renaming a parent cannot redirect them. Elsewhere the folder's path is
// verified again after each open. Links are never followed.
import { closeSync, constants, existsSync, fchownSync, fstatSync, mkdirSync, openSync, realpathSync } from 'node:fs'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

export interface OpenFolder {
  readonly descriptor: number
  /** The real path when opened. */
  readonly path: string
}

const hasDescriptorPaths = existsSync('/proc/self/fd')

/** Only the last part is resolved by name. */
export const pathIn = ({ descriptor, path }: OpenFolder, name: string): string =>
  hasDescriptorPaths ? `/proc/self/fd/${descriptor}/${name}` : `${path}/${name}`

export const pathOf = (folder: OpenFolder): string => pathIn(folder, '.')

export const openRoot = (path: string): OpenFolder => checked({ descriptor: openSync(path, FOLDER), path })

export const openInside = (folder: OpenFolder, name: string): OpenFolder =>
  checked({ descriptor: openSync(pathIn(folder, name), FOLDER), path: `${folder.path}/${name}` })

/** As root, a new folder gets the owner of its parent. */
export const openOrMake = (folder: OpenFolder, name: string): OpenFolder => {
  if (!makeFolder(folder, name)) return openInside(folder, name)
  const made = openInside(folder, name)
  if (process.getuid?.() === 0) {
    const { uid, gid } = fstatSync(folder.descriptor)
    fchownSync(made.descriptor, uid, gid)
  }
  return made
}

const makeFolder = (folder: OpenFolder, name: string): boolean => {
  try {
    mkdirSync(pathIn(folder, name))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Does not block on a pipe without a writer. */
export const openFileIn = (folder: OpenFolder, name: string, flags = O_RDONLY, mode = 0o666): number => {
  const descriptor = openSync(pathIn(folder, name), flags | O_NOFOLLOW | O_NONBLOCK, mode)
  try {
    checkPlace(folder)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

export const closeFolder = ({ descriptor }: OpenFolder): void => closeSync(descriptor)

const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

const checked = (folder: OpenFolder): OpenFolder => {
  try {
    checkPlace(folder)
    return folder
  } catch (error) {
    closeFolder(folder)
    throw error
  }
}

const checkPlace = ({ path }: OpenFolder): void => {
  if (hasDescriptorPaths || realpathSync.native(path) === path) return
  throw Object.assign(new Error('A folder was replaced while it was in use.'), { code: 'ESTALE' })
}
