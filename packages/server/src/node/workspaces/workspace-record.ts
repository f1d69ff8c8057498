// The record is written before the workspace itself, and out of reach of engines.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Key, keyText } from '@bridle/kernel/event'
import { workspaceFile } from '@bridle/runners/sandboxes/folders/session-paths'
import type { Workspace } from '@bridle/surfaces/http/workspaces/workspaces'

export interface WorkspaceRecord extends Omit<Workspace, 'discard'> {
  readonly key: Key
  /** A record still `preparing` after a start was left by a killed process. */
  readonly state: 'preparing' | 'ready'
  /** Null if there is no repository. */
  readonly gitDir: string | null
}

/** Atomic: the record is complete or absent. */
export const writeWorkspaceRecord = async (folder: string, record: WorkspaceRecord): Promise<void> => {
  const file = workspaceFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

export const workspaceRecordFor = async (folder: string, key: Key): Promise<WorkspaceRecord | null> => {
  const record = await readWorkspaceRecord(folder)
  return record?.key && keyText(record.key) === keyText(key) ? record : null
}

export const readWorkspaceRecord = async (folder: string): Promise<WorkspaceRecord | null> => {
  try {
    const record = JSON.parse(await readFile(workspaceFile(folder), 'utf8'))
    // Earlier versions recorded only finished workspaces, with the repository's top folder.
    return { state: 'ready', gitDir: record.repository ? join(record.repository, '.git') : null, ...record }
  } catch {
    return null
  }
}
