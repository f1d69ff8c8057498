// The server's note of a workspace: what it is and what it came from. The note lies beside the work folder, where no engine
// can write, and is written before anything else of the workspace is made.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Key, keyText } from '../../../kernel/event.ts'
import { workspaceFile } from '../../../runners/sandboxes/folders/session-paths.ts'
import type { Workspace } from '../../../surfaces/http/sessions/workspaces.ts'

export interface WorkspaceRecord extends Omit<Workspace, 'discard'> {
  readonly key: Key
  /** A workspace that is still being prepared was left behind by a process that was killed. */
  readonly state: 'preparing' | 'ready'
  /** The git folder of the repository; null = there is none. */
  readonly gitDir: string | null
}

/** At once: a note is whole or not there. */
export const writeWorkspaceRecord = async (folder: string, note: WorkspaceRecord): Promise<void> => {
  const file = workspaceFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** The note of this very session. */
export const workspaceRecordFor = async (folder: string, key: Key): Promise<WorkspaceRecord | null> => {
  const note = await readWorkspaceRecord(folder)
  return note?.key && keyText(note.key) === keyText(key) ? note : null
}

export const readWorkspaceRecord = async (folder: string): Promise<WorkspaceRecord | null> => {
  try {
    const note = JSON.parse(await readFile(workspaceFile(folder), 'utf8'))
    // Earlier versions noted finished workspaces only, with the top of the repository.
    return { state: 'ready', gitDir: note.repository ? join(note.repository, '.git') : null, ...note }
  } catch {
    return null
  }
}
