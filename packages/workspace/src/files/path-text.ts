// Paths as a model writes them: relative, with `/`, and of characters that people can see.
import { shown, WorkspaceError } from './workspace-error.ts'

/** Characters of a path: what Linux takes in all. */
const PATH_CHARS_MAX = 4_096

/** The parts of a path; none = the workspace itself. Throws where the path could lead out, or could be misread. */
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

/** Control characters, invisible marks and halves of characters: a person would see another name than the system does. */
export const hasUnseenCharacters = (path: string): boolean => !path.isWellFormed() || UNSEEN.test(path)

const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u
