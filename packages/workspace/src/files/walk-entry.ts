import type { FolderEntry } from '@bridle/system/folders/folder-entries'
import type { OpenFolder } from '@bridle/system/folders/open-folder'

export interface WalkEntry extends FolderEntry {
  /** Relative to the root of the walk, with `/`. */
  readonly path: string
  readonly folder: OpenFolder
}

/** A folder in repositories, a file in worktrees. */
export const GIT = '.git'

export const isPassedFolder = (name: string): boolean => name === 'node_modules' || name === GIT
