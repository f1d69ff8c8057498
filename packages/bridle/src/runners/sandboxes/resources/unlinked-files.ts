// Files without a name: a file that was removed while a process has it open, or one that was made in memory (memfd). They
// take disk or memory, and neither `du` nor the size of a process shows them.

import { opendirSync, readlinkSync, statSync } from 'node:fs'
import type { ProcessEntry } from '../../process-table.ts'
import { OPEN_FILES_MAX } from '../limits.ts'

export interface UnlinkedFileBytes {
  readonly memoryBytes: number
  readonly diskBytes: number
}

export const unlinkedFileBytes = (entries: readonly ProcessEntry[]): UnlinkedFileBytes => {
  const found = new Map<string, { readonly isMemory: boolean; readonly bytes: number }>()
  let left = OPEN_FILES_MAX
  for (const { folder } of entries) {
    if (left <= 0) break
    left -= eachOpenFile(`${folder}/fd`, left, (file) => {
      const status = statSync(file)
      if (status.nlink > 0 || !status.isFile()) return
      // The same file may be open in many processes.
      const isMemory = readlinkSync(file).startsWith('/memfd:')
      found.set(`${status.dev}/${status.ino}`, { isMemory, bytes: status.blocks * 512 })
    })
  }
  const sum = (ofMemory: boolean) =>
    [...found.values()].reduce((total, { isMemory, bytes }) => total + (isMemory === ofMemory ? bytes : 0), 0)
  return { memoryBytes: sum(true), diskBytes: sum(false) }
}

/** Returns the number of open files. */
const eachOpenFile = (folder: string, max: number, look: (file: string) => void): number => {
  let count = 0
  try {
    const list = opendirSync(folder)
    try {
      for (let entry = list.readSync(); entry !== null && count < max; entry = list.readSync()) {
        count++
        try {
          look(`${folder}/${entry.name}`)
        } catch {
          // The process closed the file meanwhile.
        }
      }
    } finally {
      list.closeSync()
    }
  } catch {
    // The process has ended, or belongs to another user.
  }
  return count
}
