// The folder of a workspace. Resolves a path to its real location, which must be inside, then opens it part by part
// without following links, so that a link created in between cannot escape.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { closeFolder, type OpenFolder, openInside, openOrMake, openRoot } from '@bridle/system/folders/open-folder'
import { pathParts } from './path-text.ts'
import { asWorkspaceError, shown, WorkspaceError } from './workspace-error.ts'

export interface WorkspacePlace {
  readonly path: string
  /** Parts of the real path below the workspace. Empty for the workspace itself. */
  readonly parts: readonly string[]
  readonly real: string
}

/** Data of a server started in this folder or below, including its secret. */
export const SERVER_DATA = '.bridle'

export class ConfinedFolder {
  readonly root: string

  readonly isProtected: (path: string) => boolean

  constructor(path: string, isProtected: (path: string) => boolean = () => false) {
    this.isProtected = isProtected
    try {
      this.root = realpathSync.native(path)
    } catch (error) {
      throw asWorkspaceError(error, path)
    }
    if (!statSync(this.root).isDirectory()) throw new WorkspaceError('not_a_folder', `${shown(path)} is not a folder.`)
    if (dirname(this.root) === this.root)
      throw new WorkspaceError('invalid_path', 'The root of the file system is no workspace. Name a folder in it.')
  }

  /** Also resolves paths that do not exist yet. */
  placeOf(path: string): WorkspacePlace {
    const real = nearestReal(join(this.root, ...pathParts(path)), path)
    const below = relative(this.root, real)
    const parts = below === '' ? [] : below.split(sep)
    if (parts[0] === '..' || join(this.root, below) !== real)
      throw new WorkspaceError('outside', `${shown(path)} is a link that leads out of the workspace, or nowhere.`)
    if (parts.includes(SERVER_DATA))
      throw new WorkspaceError('protected', `${shown(path)} belongs to the server, not to the workspace.`)
    return { path, parts, real }
  }

  /** The resource that a call touches, as a real path, so that aliases of a file are one resource. */
  touched(path: string): string[] {
    try {
      return [this.placeOf(path).real]
    } catch {
      // The call itself will fail and report the reason.
      return []
    }
  }

  inFolder<T>(place: WorkspacePlace, use: (folder: OpenFolder) => T): T {
    return this.#open(place, place.parts, openInside, use)
  }

  /** Calls `use` with the open parent folder and the entry's name. */
  around<T>(place: WorkspacePlace, use: (folder: OpenFolder, name: string) => T, { makes = false } = {}): T {
    const name = place.parts.at(-1)
    if (name === undefined)
      throw new WorkspaceError('not_a_file', 'The workspace itself is a folder. Name a file in it.')
    return this.#open(place, place.parts.slice(0, -1), makes ? openOrMake : openInside, (folder) => use(folder, name))
  }

  /** Closes the folder when `use` returns or its promise settles. */
  #open<T>(place: WorkspacePlace, parts: readonly string[], enter: Enter, use: (folder: OpenFolder) => T): T {
    let folder: OpenFolder | null = null
    const close = () => {
      if (folder !== null) closeFolder(folder)
      folder = null
    }
    try {
      folder = openRoot(this.root)
      for (const part of parts) {
        const next = enter(folder, part)
        closeFolder(folder)
        folder = next
      }
      const result = use(folder)
      if (!(result instanceof Promise)) {
        close()
        return result
      }
      const failed = (error: unknown) => Promise.reject(asWorkspaceError(error, place.path))
      return result.catch(failed).finally(close) as T
    } catch (error) {
      close()
      throw asWorkspaceError(error, place.path)
    }
  }
}

type Enter = (folder: OpenFolder, name: string) => OpenFolder

/** Resolves the nearest existing ancestor and appends the rest. */
const nearestReal = (wanted: string, path: string): string => {
  try {
    return realpathSync.native(wanted)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || (code === 'ENOENT' && exists(wanted)))
      throw new WorkspaceError('outside', `${shown(path)} is a link that leads out of the workspace, or nowhere.`)
    if (code !== 'ENOENT') throw asWorkspaceError(error, path)
    return join(nearestReal(dirname(wanted), path), basename(wanted))
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
