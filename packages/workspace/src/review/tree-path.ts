import { closeFolder, type OpenFolder, openInside } from '@bridle/system/folders/open-folder'
import { WorkspaceError } from '../files/workspace-error.ts'
import { openTree } from './tree-walk.ts'

/** Empty for the root. Any valid file name is allowed, because agents choose them. */
export const treePathParts = (path: string): readonly string[] => {
  if (path.includes('\0')) throw new WorkspaceError('invalid_path', 'A path has no NUL character.')
  if (path.startsWith('/')) throw new WorkspaceError('invalid_path', 'Give a path relative to the workspace.')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new WorkspaceError('invalid_path', 'Give a path without "..".')
  return parts
}

export const inTreeFolder = <T>(root: string, parts: readonly string[], use: (folder: OpenFolder) => T): T => {
  let folder = openTree(root)
  try {
    for (const part of parts) {
      const inner = openInside(folder, part)
      closeFolder(folder)
      folder = inner
    }
    return use(folder)
  } finally {
    closeFolder(folder)
  }
}

export const aroundPath = <T>(
  root: string,
  parts: readonly string[],
  use: (folder: OpenFolder, name: string) => T,
): T => {
  const name = parts.at(-1)
  if (name === undefined) throw new WorkspaceError('not_a_file', 'The workspace itself is a folder. Name a file in it.')
  return inTreeFolder(root, parts.slice(0, -1), (folder) => use(folder, name))
}
