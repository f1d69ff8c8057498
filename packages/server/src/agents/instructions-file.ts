// Instructions in a file of the project, read when the server starts and when the agent's own file is loaded again.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { InstructionsReader } from './engine-setup.ts'

/** Instructions are read by a model in each request: far more than a person writes, and far less than a context. */
const INSTRUCTIONS_BYTES_MAX = 256 * 1024

/** `root` is the folder of the project. */
export const instructionsReader =
  (root: string): InstructionsReader =>
  (file) => {
    try {
      // Opening a pipe would wait for its writer for ever.
      const open = openSync(resolve(root, file), constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        const status = fstatSync(open)
        if (!status.isFile()) return { problem: `The instructions in ${file} cannot be read: it is not a file.` }
        if (status.size > INSTRUCTIONS_BYTES_MAX)
          return { problem: `The instructions in ${file} are longer than ${INSTRUCTIONS_BYTES_MAX / 1024} KiB.` }
        return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(open)) }
      } finally {
        closeSync(open)
      }
    } catch (error) {
      return { problem: `The instructions in ${file} cannot be read: ${reasonOf(error)}` }
    }
  }

/** The messages of the platform name the folders of this machine. */
const reasonOf = (error: unknown): string => {
  const { code = 'unknown' } = error as { readonly code?: string }
  if (code === 'ENOENT') return 'there is no such file.'
  if (code === 'EACCES') return 'the server has no permission.'
  return error instanceof TypeError ? 'it is not UTF-8.' : `the system answers ${code}.`
}
