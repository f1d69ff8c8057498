// Errors for the model. Messages include the fix and no path outside the workspace.
import { truncate } from '@bridle/kernel/text/truncate'

/** Enough to recognise a path. */
const SHOWN_PATH_CHARS = 200

/** Why a workspace tool failed. */
export type WorkspaceErrorCode =
  | 'invalid_path'
  | 'outside'
  | 'protected'
  | 'not_found'
  | 'not_a_file'
  | 'not_a_folder'
  | 'not_text'
  | 'too_large'
  | 'no_match'
  | 'many_matches'
  | 'edit_repeats'
  | 'bad_pattern'
  | 'bad_command'
  | 'permission_denied'
  | 'changed_meanwhile'
  | 'no_workspace'
  | 'no_sandbox'
  | 'failed'

/** A workspace tool failed. */
export class WorkspaceError extends Error {
  /** The reason, for programs. */
  readonly code: WorkspaceErrorCode

  /** Takes a code for programs and a sentence for the model. */
  constructor(code: WorkspaceErrorCode, message: string) {
    super(message)
    this.name = 'WorkspaceError'
    this.code = code
  }
}

/** Quotes a path for a message: shortened, on one line, with invisible characters escaped. */
export const shown = (path: string): string =>
  JSON.stringify(path.length > SHOWN_PATH_CHARS ? `${truncate(path, SHOWN_PATH_CHARS)}…` : path).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )

const BY_ERRNO: { readonly [errno: string]: readonly [WorkspaceErrorCode, (path: string) => string] } = {
  ENOENT: ['not_found', (path) => `There is no ${path}. List the files to see their names.`],
  ENOTDIR: ['not_a_folder', (path) => `A part of ${path} is not a folder.`],
  EISDIR: ['not_a_file', (path) => `${path} is a folder.`],
  ENXIO: ['not_a_file', (path) => `${path} is neither a file nor a folder.`],
  ELOOP: ['changed_meanwhile', (path) => `${path} became a link during the call. Nothing was done; try again.`],
  ESTALE: ['changed_meanwhile', (path) => `A folder on the way to ${path} was replaced during the call. Try again.`],
  EEXIST: ['changed_meanwhile', (path) => `${path} changed during the call. Nothing was done; try again.`],
  ENAMETOOLONG: ['invalid_path', (path) => `A name in ${path} is too long.`],
  EACCES: ['permission_denied', (path) => `The system does not permit this for ${path}.`],
  EPERM: ['permission_denied', (path) => `The system does not permit this for ${path}.`],
  EROFS: ['permission_denied', (path) => `${path} is on a disk that cannot be written.`],
}

/** The file system's own message would reveal the server's folder. */
export const asWorkspaceError = (error: unknown, path: string): Error => {
  if (error instanceof WorkspaceError) return error
  const errno = (error as NodeJS.ErrnoException | null)?.code
  if (errno === undefined) return error as Error
  const [code, message] = BY_ERRNO[errno] ?? ['failed', (name: string) => `The system answered ${errno} for ${name}.`]
  return new WorkspaceError(code, message(shown(path)))
}
