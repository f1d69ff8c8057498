// An engine's commands run beside it, as the same user. A program that its user may execute and not read starts a process that
// other processes of that user can neither trace nor read: Linux keeps its memory, its files and its streams closed (it is "not
// dumpable"). So a sandbox shows an engine's program as a copy with mode 0111, and no command can speak in the engine's place.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/** A program of the host and the copy that a sandbox shows in its place. */
export interface ProtectedProgram {
  readonly path: string
  readonly copy: string
}

/** Copies each version once: engines have hundreds of megabytes. Null: a script, or a program that reads its own file. */
export const protectProgram = (file: string, folder: string): ProtectedProgram | null => {
  const path = realpathSync(file)
  if (!canBeUnreadable(path)) return null
  const { size, mtimeMs } = statSync(path)
  const version = createHash('sha256').update(`${path}\0${size}\0${mtimeMs}`).digest('hex').slice(0, 16)
  const copy = join(folder, `${basename(path)}-${version}`)
  if (!existsSync(copy)) makeCopy(path, copy, folder)
  return { path, copy }
}

const makeCopy = (path: string, copy: string, folder: string): void => {
  const fresh = `${copy}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    copyFileSync(path, fresh, constants.COPYFILE_FICLONE)
    chmodSync(fresh, 0o111)
    // Whole or not at all: another runner may start the same engine now.
    renameSync(fresh, copy)
  } catch (error) {
    rmSync(fresh, { force: true })
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new Error(`The engine's program could not be copied to ${folder} (${code}). Make room there and try again.`, {
      cause: error,
    })
  }
  // A running engine keeps its program open, so the copies of earlier versions may go.
  const isEarlier = (name: string) => name !== basename(copy) && VERSION.exec(name)?.[1] === basename(path)
  for (const name of readdirSync(folder).filter(isEarlier)) rmSync(join(folder, name), { force: true })
}

const VERSION = /^(.+)-[0-9a-f]{16}$/

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])
/** Older compilers of Bun append the JavaScript to the program, which then reads its own file. */
const APPENDED_SCRIPT = '---- Bun! ----'

const canBeUnreadable = (path: string): boolean => {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    return (
      ELF.equals(bytesAt(file, 0, ELF.length)) && !bytesAt(file, Math.max(0, size - 64), 64).includes(APPENDED_SCRIPT)
    )
  } finally {
    closeSync(file)
  }
}

const bytesAt = (file: number, position: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, position))
}
