// Paths as models write them: relative, with `/`, without invisible characters.
import { shown, WorkspaceError } from './workspace-error.ts'

/** Linux's PATH_MAX. */
const PATH_CHARS_MAX = 4_096

/** Empty for the workspace itself. Throws if the path could escape or be misread. */
export const pathParts = (path: string): string[] => {
  if (path.length > PATH_CHARS_MAX) throw new WorkspaceError('invalid_path', `${shown(path)} is too long.`)
  if (hasUnseenCharacters(path))
    throw new WorkspaceError('invalid_path', `${shown(path)} has characters that nobody can see. Leave them out.`)
  if (/^[/\\]|^[A-Za-z]:[/\\]/.test(path))
    throw new WorkspaceError('outside', `${shown(path)} is absolute. Give a path relative to the workspace.`)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..'))
    throw new WorkspaceError('outside', `${shown(path)} has "..". Give a path relative to the workspace.`)
  return parts
}

/** Control characters, invisible marks and lone surrogates: people would read a different name than the system does. */
export const hasUnseenCharacters = (path: string): boolean => !path.isWellFormed() || UNSEEN.test(path)

const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u
