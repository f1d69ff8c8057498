// Copies a folder that somebody else may write at the same time. An agent can replace a folder by a link while it is read,
// so each step goes down from an open folder and follows no link: nothing outside of the source is ever read.

import { execFile, spawn } from 'node:child_process'
import { constants, type Stats } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  lchown,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  symlink,
} from 'node:fs/promises'

/** Each level of a copy holds a few open files, of which a process has about a thousand. */
const FOLDER_DEPTH_MAX = 200
/** A sparse file is copied by a program; smaller holes are not worth its start. */
const HOLES_MIN_BYTES = 1024 ** 2
/** A program copies 10 GiB of data, the default limit of a sandbox, in this time from a slow disk. */
const SPARSE_COPY_MS = 5 * 60_000

export interface FolderOwner {
  readonly uid: number
  readonly gid: number
}

export interface CopyLimits {
  /** Bytes that the copy takes on disk: a hole in a file takes none. */
  readonly bytes: number
  readonly files: number
}

export interface CopyOptions {
  readonly limits: CopyLimits
  /** The copy is given to this user; absent = it stays the server's. */
  readonly owner?: FolderOwner | undefined
  readonly isLeftOut?: (entry: CopyEntry) => boolean
}

export interface CopyEntry {
  readonly name: string
  /** 0 = directly in the source. */
  readonly depth: number
  readonly kind: 'folder' | 'file' | 'link'
  /** Absent for a link. */
  readonly identity?: string
}

export type CopyFaultCode = 'too_large' | 'too_many' | 'too_deep' | 'changed' | 'failed'

/** The message names no path of the server. */
export class CopyFault extends Error {
  readonly code: CopyFaultCode

  constructor(code: CopyFaultCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Copies what is in `from`, a path without links, into the folder `to`, which it makes. FIFOs, sockets and devices are skipped. */
export const copyFolder = async (from: string, to: string, options: CopyOptions): Promise<number> => {
  const job: CopyJob = { options, bytes: 0, files: 0 }
  try {
    const source = await openFolder(from)
    try {
      // A part of the path may have become a link since somebody checked it.
      if (isLinux && (await realpath(source.base)) !== from) throw new CopyFault('changed', 'The folder was replaced.')
      await copyOpenFolder(source, to, 0, job)
    } finally {
      await source.handle.close()
    }
  } catch (error) {
    throw error instanceof CopyFault
      ? error
      : new CopyFault('failed', `The folder could not be copied (${codeOf(error)}).`, error)
  }
  return job.bytes
}

/** Gives a fresh folder and all in it to a user. Links themselves are given, never what they point at. */
export const changeOwner = async (owner: FolderOwner | undefined, folder: string): Promise<void> => {
  if (!owner) return
  await new Promise<void>((resolve, reject) => {
    const args = ['-hR', `${owner.uid}:${owner.gid}`, '--', folder]
    execFile('chown', args, { timeout: SPARSE_COPY_MS, env: programEnvironment }, (error) =>
      error
        ? reject(new CopyFault('failed', 'The folder could not be given to the user of the sandbox.', error))
        : resolve(),
    )
  })
}

/** A text that identifies a file or folder under any path. */
export const identityOf = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`

interface CopyJob {
  readonly options: CopyOptions
  bytes: number
  files: number
}

interface OpenFolder {
  readonly handle: FileHandle
  /** A path that leads to the open folder, even if its name leads elsewhere by now. */
  readonly base: string
}

const isLinux = process.platform === 'linux'
const programEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C' }

// Without blocking: opening a FIFO in place of a file would wait for a writer.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Only Linux has a path for an open folder; other systems use its name. */
const openFolder = async (path: string | Buffer): Promise<OpenFolder> => {
  const handle = await open(path as string, READ | constants.O_DIRECTORY)
  return { handle, base: isLinux ? `/proc/self/fd/${handle.fd}` : String(path) }
}

/** Names are bytes: a name that is no UTF-8 is copied too. */
const pathInside = (base: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${base}/`), name])

const copyOpenFolder = async (source: OpenFolder, to: string | Buffer, depth: number, job: CopyJob): Promise<void> => {
  if (depth > FOLDER_DEPTH_MAX)
    throw new CopyFault('too_deep', `The folder is nested deeper than ${FOLDER_DEPTH_MAX} levels.`)
  const { mode } = await source.handle.stat()
  await mkdir(to, { mode: 0o700 })
  const target = await openFolder(to)
  try {
    for await (const { name, isFile, isFolder, isLink } of entriesOf(source)) {
      const [from, into] = [pathInside(source.base, name), pathInside(target.base, name)]
      const text = name.toString()
      if (isFolder) await copySubfolder(from, into, { name: text, depth, kind: 'folder' }, job)
      else if (isFile) await copyRegularFile(from, into, { name: text, depth, kind: 'file' }, job)
      else if (isLink) await copyLink(from, into, { name: text, depth, kind: 'link' }, job)
    }
    // Only now: a folder that nobody may write could not be filled.
    await target.handle.chmod(mode & 0o777)
    const { owner } = job.options
    if (owner) await target.handle.chown(owner.uid, owner.gid)
  } finally {
    await target.handle.close()
  }
}

async function* entriesOf({ base }: OpenFolder) {
  // Read piece by piece: the limit on files comes before a folder with millions of names is in memory.
  for await (const entry of await opendir(base, { encoding: 'buffer' as BufferEncoding })) {
    yield {
      name: entry.name as unknown as Buffer,
      isFile: entry.isFile(),
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }
  }
}

const copySubfolder = async (from: Buffer, to: Buffer, entry: CopyEntry, job: CopyJob): Promise<void> => {
  const folder = await unlessChanged(openFolder(from))
  if (!folder) return
  try {
    if (isLeftOut(job, { ...entry, identity: identityOf(await folder.handle.stat()) })) return
    addToTotals(job, 0)
    await copyOpenFolder(folder, to, entry.depth + 1, job)
  } finally {
    await folder.handle.close()
  }
}

const copyLink = async (from: Buffer, to: Buffer, entry: CopyEntry, job: CopyJob): Promise<void> => {
  if (isLeftOut(job, entry)) return
  const target = await unlessChanged(readlink(from, { encoding: 'buffer' }))
  if (!target) return
  addToTotals(job, 0)
  await symlink(target, to)
  await setOwner(job, to)
}

const copyRegularFile = async (from: Buffer, to: Buffer, entry: CopyEntry, job: CopyJob): Promise<void> => {
  const file = await unlessChanged(open(from as unknown as string, READ))
  if (!file) return
  try {
    const stats = await file.stat()
    if (!stats.isFile() || isLeftOut(job, { ...entry, identity: identityOf(stats) })) return
    const onDisk = stats.blocks * 512
    const hasHoles = isLinux && stats.size - onDisk >= HOLES_MIN_BYTES
    addToTotals(job, hasHoles ? onDisk : stats.size)
    if (hasHoles) await copyWithHoles(file, to)
    else await copyFile(isLinux ? `/proc/self/fd/${file.fd}` : from, to, COPY)
    // Without the bits that make a program run as its owner: the copy may be another user's.
    await chmod(to, stats.mode & 0o777)
    await setOwner(job, to)
  } finally {
    await file.close()
  }
}

const COPY = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL

/** `cp` finds the holes of a file, which Node cannot. It gets both files open. */
const copyWithHoles = async (file: FileHandle, to: Buffer): Promise<void> => {
  const copy = await open(to as unknown as string, 'wx', 0o600)
  try {
    const args = ['--sparse=always', '--reflink=auto', '--', '/proc/self/fd/3', '/proc/self/fd/4']
    const child = spawn('cp', args, {
      stdio: ['ignore', 'ignore', 'ignore', file.fd, copy.fd],
      env: programEnvironment,
      timeout: SPARSE_COPY_MS,
      killSignal: 'SIGKILL',
    })
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve))
    if (code !== 0) throw new CopyFault('failed', 'A file with holes could not be copied.')
  } finally {
    await copy.close()
  }
}

const isLeftOut = ({ options }: CopyJob, entry: CopyEntry): boolean => options.isLeftOut?.(entry) ?? false

const addToTotals = (job: CopyJob, bytes: number): void => {
  const { limits } = job.options
  job.files += 1
  job.bytes += bytes
  if (job.files > limits.files) throw new CopyFault('too_many', `The folder holds more than ${limits.files} files.`)
  if (job.bytes > limits.bytes) throw new CopyFault('too_large', `The folder holds more than ${limits.bytes} bytes.`)
}

const setOwner = async ({ options: { owner } }: CopyJob, path: Buffer): Promise<void> => {
  if (owner) await lchown(path, owner.uid, owner.gid)
}

/** Null for an entry that was removed or replaced since the folder was listed. */
const unlessChanged = <T>(attempt: Promise<T>): Promise<T | null> =>
  attempt.catch((error: unknown) => {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EINVAL', 'ENXIO'].includes(codeOf(error))) return null
    throw error
  })

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? 'unknown'
