// The server's record of a workspace, written before anything else of it, and where no engine can write.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Key, keyText } from '@bridle/kernel/event'
import { workspaceFile } from '@bridle/runners/sandboxes/folders/session-paths'
import type { Workspace } from '@bridle/surfaces/http/workspaces/workspaces'

export interface WorkspaceRecord extends Omit<Workspace, 'discard'> {
  readonly key: Key
  /** A workspace that is still being prepared was left behind by a process that was killed. */
  readonly state: 'preparing' | 'ready'
  /** The git folder of the repository; null = there is none. */
  readonly gitDir: string | null
}

/** Writes the record atomically: it is complete or absent. */
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
    // Earlier versions recorded finished workspaces only, with the top of the repository.
    return { state: 'ready', gitDir: record.repository ? join(record.repository, '.git') : null, ...record }
  } catch {
    return null
  }
}
