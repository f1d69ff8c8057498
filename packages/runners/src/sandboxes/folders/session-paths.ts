// The folder of a session in a data folder: its work, and what an engine keeps for it. Ids are never paths.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Key, keyText } from '@bridle/kernel/event'
import { filesFolderOf } from '../../files/received-files.ts'
import { readJson } from '../../process/json-file.ts'

export const sessionFolder = (data: string, key: Key): string =>
  join(data, 'workspaces', createHash('sha256').update(keyText(key)).digest('hex').slice(0, 40))

export const workFolder = (folder: string): string => join(folder, 'work')
/** The folder in which a session's agent works: its own, or its user's where the session works in place. The server's notes say so. */
export const workPlace = (folder: string): { readonly path: string; readonly isInPlace: boolean } => {
  // Most sessions have no notes about a workspace.
  const { kind, path } = (readJson(workspaceFile(folder)) ?? {}) as { kind?: unknown; path?: unknown }
  const isInPlace = kind === 'in_place' && typeof path === 'string'
  return isInPlace ? { path, isInPlace } : { path: workFolder(folder), isInPlace }
}
/** The folder of what its engine keeps: transcripts, settings. */
export const stateFolder = (folder: string): string => join(folder, 'state')

/** The files that came with prompts, where the session's runner keeps them. */
export const filesFolder = (folder: string): string => filesFolderOf(stateFolder(folder))

/** The runner's notes. No engine sees this folder. */
export const privateFolder = (folder: string): string => join(folder, 'private')
/** The server's notes: the key of the session, and the source of its workspace. No engine can write them. */
export const keyFile = (folder: string): string => join(folder, 'key.json')
export const workspaceFile = (folder: string): string => join(folder, 'workspace.json')

/** The session that a folder belongs to, as its notes say; null where there are none. */
export const folderKey = async (folder: string): Promise<Key | null> =>
  (await readJsonFile<Key>(keyFile(folder))) ??
  (await readJsonFile<{ readonly key: Key }>(workspaceFile(folder)))?.key ??
  null

const readJsonFile = <T>(file: string): Promise<T | null> =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as T,
    () => null,
  )

/** The file that lists further paths which the sandbox may read. No engine can write it. */
export const readablePathsFile = (folder: string): string => join(folder, 'shown.json')
export const readablePaths = (folder: string): string[] =>
  ((readJson(readablePathsFile(folder)) ?? []) as string[]).filter((path) => existsSync(path))
