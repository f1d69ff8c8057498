// In-place sessions may change files that the server loads, even indirectly. Such a file is not loaded until a person confirms
// it. The record is in the data folder, which no agent can see, so it survives restarts.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson, writeJson } from '@bridle/runners/process/json-file'
import { isWithin } from '@bridle/runners/sandboxes/protection/protected-places'
import { UnconfirmedFileError } from '../import-errors.ts'
import { WritingTimes } from './writing-times.ts'

/** Larger than one person's project. */
const TRUSTED_FILES_MAX = 20_000

interface TrustRecord {
  /** Digest of each file when it was last loaded, or when an in-place session started. */
  readonly files: { readonly [path: string]: string }
  /** Digest of each file awaiting confirmation. */
  readonly held: { readonly [path: string]: string }
  /** Folders of in-place sessions, including those open when the process was killed. */
  readonly open: readonly string[]
}

export class TrustedFiles {
  readonly #record: string
  readonly #files: Map<string, string>
  readonly #held: Map<string, string>
  readonly #open: Set<string>
  /** Sandboxes and runs that can write, per folder. */
  readonly #writers = new Map<string, number>()
  readonly #folders = new Set<string>()
  readonly #times: WritingTimes
  readonly #data: string
  #root: string | null = null
  readonly #listeners = new Set<(change: TrustChange) => void>()
  /** Only the server that owns the data folder writes the record. */
  #isOwner = false

  constructor(data: string) {
    this.#record = join(data, 'loaded-files.json')
    this.#times = new WritingTimes(data)
    this.#data = realPath(data)
    const { files, held, open } = readRecord(this.#record)
    this.#files = new Map(Object.entries(files))
    this.#held = new Map(Object.entries(held))
    this.#open = new Set(open)
  }

  /** Called by the server that owns the data folder. Agent folders are watched as a whole. */
  own(folders: readonly string[], root: string | null = null): void {
    this.#isOwner = true
    this.#root = root === null ? null : realPath(root)
    for (const folder of folders) this.#folders.add(folder)
    // Left by a killed process: hold everything that changed since.
    for (const work of [...this.#open]) if (!this.#writers.has(work)) this.#close(work)
  }

  check(named: string, content: Uint8Array | string): void {
    const [path, digest] = [realPath(named), digestOf(content)]
    if (this.#files.get(path) === digest) return this.#release(path)
    if (this.#held.get(path) !== digest && (this.#held.has(path) || this.#isOfSession(path)))
      this.#hold([[path, digest], ...this.#restOfPackage(path)])
    if (this.#held.has(path)) throw new UnconfirmedFileError(path)
    if (packageOf(path) === null && this.#files.size < TRUSTED_FILES_MAX) this.#files.set(path, digest)
  }

  /** Marks the folder as writable until the returned function is called. */
  begin(work: string): () => void {
    const count = this.#writers.get(work) ?? 0
    this.#writers.set(work, count + 1)
    if (count === 0) {
      for (const path of this.#candidates(work)) {
        const digest = this.#isOpen(path) || this.#held.has(path) ? null : digestAt(path)
        if (digest === null || digest === this.#files.get(path)) continue
        // Another server's session may have written it.
        if (this.#isOfSession(path)) this.#hold([[path, digest]])
        else this.#files.set(path, digest)
      }
      this.#open.add(work)
      this.#times.begin(work)
      this.#save()
    }
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const left = (this.#writers.get(work) ?? 1) - 1
      if (left > 0) return void this.#writers.set(work, left)
      this.#writers.delete(work)
      this.#close(work)
    }
  }

  get held(): readonly string[] {
    return [...this.#held.keys()]
  }

  /** Confirms exactly the digests that were reported. A file that changed again needs another confirmation. */
  acceptHeld(): readonly string[] {
    const accepted = this.held
    for (const [path, digest] of this.#held) this.#files.set(path, digest)
    this.#held.clear()
    this.#save()
    this.#tell({ accepted })
    return accepted
  }

  /** Confirms the file's current content. False if there was nothing to confirm. */
  accept(path: string): boolean {
    const file = realPath(path)
    const below = this.held.filter((each) => each !== file && isWithin(each, file))
    if (below.length > 0) return below.map((each) => this.accept(each)).some(Boolean)
    const digest = digestAt(file)
    const isHeld = this.#held.delete(file) || (this.#isOpen(file) && this.#files.get(file) !== digest)
    if (digest !== null) this.#files.set(file, digest)
    if (isHeld) this.#write()
    return isHeld
  }

  /** Checks files loaded before the data folder was known. */
  checkLoaded(early: TrustedFiles): void {
    if (early === this) return
    for (const path of early.#files.keys()) {
      const digest = digestAt(path)
      if (digest !== null) this.check(path, readFileSync(path))
    }
  }

  listen(listener: (change: TrustChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #close(work: string): void {
    const found = this.#candidates(work).map((path) => [path, digestAt(path)] as const)
    this.#open.delete(work)
    if (this.#isOwner) this.#times.end(work)
    this.#hold(found.flatMap(([path, digest]) => (digest === null ? [] : [[path, digest] as const])))
    this.#save()
  }

  #hold(found: readonly (readonly [string, string])[]): void {
    const changed = found.filter(
      ([path, digest]) => this.#files.get(path) !== digest && this.#held.get(path) !== digest,
    )
    if (changed.length === 0) return
    for (const [path, digest] of changed) this.#held.set(path, digest)
    this.#save()
    this.#tell({ held: changed.map(([path]) => path) })
  }

  #release(path: string): void {
    if (this.#held.delete(path)) this.#save()
  }

  /** True if an in-place agent may have written the file's current, unknown content. */
  #isOfSession(path: string): boolean {
    const isKnown = this.#files.has(path)
    if (isKnown && this.#isOpen(path)) return true
    const root = this.#root
    // Sessions on a branch or a copy write here all the time.
    if (root !== null && isWithin(path, this.#data) && !isWithin(root, this.#data)) return true
    // An agent can create a link to a distant folder of its sandbox.
    const isElsewhere = !isKnown && root !== null && !isWithin(path, root)
    return this.#times.covers(path, (work) => isWithin(path, work) || (isElsewhere && packageOf(path) === null))
  }

  /** Other files of the package: confirm a package once, rather than once per imported file. */
  #restOfPackage(path: string): (readonly [string, string])[] {
    const folder = packageOf(path)
    if (folder === null) return []
    return filesBelow(folder).flatMap((each) => {
      const digest = each !== path && this.#isOfSession(each) ? digestAt(each) : null
      return digest === null ? [] : [[each, digest] as const]
    })
  }

  #isOpen(path: string): boolean {
    return [...this.#open].some((work) => isWithin(path, work))
  }

  #candidates(work: string): string[] {
    const folders = [...this.#folders].filter((folder) => isWithin(folder, work) || isWithin(work, folder))
    const paths = [...this.#files.keys(), ...folders.flatMap(filesBelow)]
    return [...new Set(paths)].filter((path) => isWithin(path, work))
  }

  #save(): void {
    if (this.#isOwner) this.#write()
  }

  #write(): void {
    mkdirSync(dirname(this.#record), { recursive: true, mode: 0o700 })
    const [files, held] = [Object.fromEntries(this.#files), Object.fromEntries(this.#held)]
    const record: TrustRecord = { files, held, open: [...this.#open] }
    writeJson(this.#record, record)
  }

  #tell(change: TrustChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}

export type TrustChange = { readonly held: readonly string[] } | { readonly accepted: readonly string[] }

/** A process has one per data folder. */
export const trustedFiles = (data: string): TrustedFiles => {
  const folder = realPath(data)
  const known = opened.get(folder) ?? new TrustedFiles(folder)
  opened.set(folder, known)
  return known
}

export const forgetTrustedFiles = (data: string): void => void opened.delete(realPath(data))

const opened = new Map<string, TrustedFiles>()

const NOTHING: TrustRecord = { files: {}, held: {}, open: [] }

/** Null if the file does not belong to a package. */
export const packageOf = (path: string): string | null =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? null

const readRecord = (file: string): TrustRecord => ({ ...NOTHING, ...(readJson(file) as Partial<TrustRecord> | null) })

const digestOf = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')

const digestAt = (path: string): string | null => tryOr(null, () => digestOf(readFileSync(path)))

const filesBelow = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !relative(folder, entry.parentPath).split(sep).includes('node_modules'))
      .slice(0, TRUSTED_FILES_MAX)
      .map((entry) => realPath(join(entry.parentPath, entry.name)))
  } catch {
    return []
  }
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const [whole, above] = [resolve(path), dirname(resolve(path))]
    return whole === above ? whole : join(realPath(above), basename(whole))
  }
}
