import type { NewWorkspace } from 'bridle/client'

/** The files that the form asks for. */
export interface FilesChoice {
  /** Null: none. Empty: an empty folder. */
  readonly folder: string | null
  /** The folder is typed, not chosen. */
  readonly isOther: boolean
  readonly mode: 'write' | 'in_place'
}

export const noFiles: FilesChoice = { folder: null, isOther: false, mode: 'write' }

/** As the server is asked; undefined: no files. */
export const workspaceRequest = ({ folder, mode }: FilesChoice): NewWorkspace | undefined => {
  if (folder === null) return undefined
  const source = folder.trim()
  return source === '' ? { mode: 'write' } : { mode, source }
}
