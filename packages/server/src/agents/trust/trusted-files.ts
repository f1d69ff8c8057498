// The files that a server loads, as a person left them. While a session works in place, its agent may write some of them: a file that
// it imports further away, or one with a second name. A file that changed in that time is not loaded until a person has confirmed it.
// The record is in the data folder, which no agent sees, so a restart changes nothing.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson, writeJson } from '@bridle/runners/process/json-file'
import { UnconfirmedFileError } from '../import-errors.ts'
import { WritingTimes } from './writing-times.ts'

/** Files whose digest is remembered: a project with more of its own files than that is not one person's. */
const TRUSTED_FILES_MAX = 20_000

interface TrustRecord {
  /** The digest of each file as it was last loaded, or when a session in place began. */
  readonly files: { readonly [path: string]: string }
  /** The digest of each file that a person has to confirm. */
  readonly held: { readonly [path: string]: string }
  /** The folders in which sessions work in place at the moment, or worked when the process was killed. */
  readonly open: readonly string[]
}

export class TrustedFiles {
  readonly #record: string
  readonly #files: Map<string, string>
  readonly #held: Map<string, string>
  readonly #open: Set<string>
  /** The number of sandboxes and runs that can write in each folder. */
  readonly #writers = new Map<string, number>()
  readonly #folders = new Set<string>()
  readonly #times: WritingTimes
  readonly #data: string
  #root: string | null = null
  readonly #listeners = new Set<(change: TrustChange) => void>()
  /** Only the server of the data folder writes the record. */
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

  /** Called by the server that has the data folder. Folders of agent files are watched whole. */
  own(folders: readonly string[], root: string | null = null): void {
    this.#isOwner = true
    this.#root = root === null ? null : realPath(root)
    for (const folder of folders) this.#folders.add(folder)
    // A killed process left them: whatever changed since is held.
    for (const work of [...this.#open]) if (!this.#writers.has(work)) this.#close(work)
  }

  /** Throws where the file is not to be loaded. */
  check(named: string, content: Uint8Array | string): void {
    const [path, digest] = [realPath(named), digestOf(content)]
    if (this.#files.get(path) === digest) return this.#release(path)
    if (this.#held.get(path) !== digest && (this.#held.has(path) || this.#isOfSession(path)))
      this.#hold([[path, digest], ...this.#restOfPackage(path)])
    if (this.#held.has(path)) throw new UnconfirmedFileError(path)
    if (packageOf(path) === null && this.#files.size < TRUSTED_FILES_MAX) this.#files.set(path, digest)
  }

  /** From now on something may write in the folder. Returns the end of that. */
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

  /** The files that wait for a person, in the order in which they changed. */
  get held(): readonly string[] {
    return [...this.#held.keys()]
  }

  /** Confirms what the person was told about: a file that has changed again since is asked about again. */
  acceptHeld(): readonly string[] {
    const accepted = this.held
    for (const [path, digest] of this.#held) this.#files.set(path, digest)
    this.#held.clear()
    this.#save()
    this.#tell({ accepted })
    return accepted
  }

  /** Confirms a file as it is now. False = nothing had to be confirmed. */
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

  /** Checks the files that were loaded before the data folder was known. */
  checkLoaded(early: TrustedFiles): void {
    if (early === this) return
    for (const path of early.#files.keys()) {
      const digest = digestAt(path)
      if (digest !== null) this.check(path, readFileSync(path))
    }
  }

  /** Returns a function that ends it. */
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

  /** Holds those that are not as they were. */
  #hold(found: readonly (readonly [string, string])[]): void {
    const changed = found.filter(
      ([path, digest]) => this.#files.get(path) !== digest && this.#held.get(path) !== digest,
    )
    if (changed.length === 0) return
    for (const [path, digest] of changed) this.#held.set(path, digest)
    this.#save()
    this.#tell({ held: changed.map(([path]) => path) })
  }

  /** The file is again as it was. */
  #release(path: string): void {
    if (this.#held.delete(path)) this.#save()
  }

  /** Whether an agent in place may have written the file as it is now. It is not as it was known. */
  #isOfSession(path: string): boolean {
    const isKnown = this.#files.has(path)
    if (isKnown && this.#isOpen(path)) return true
    const root = this.#root
    // Sessions on a branch or a copy write there all the time.
    if (root !== null && isWithin(path, this.#data) && !isWithin(root, this.#data)) return true
    // A link that an agent made may lead to a folder of its sandbox, which is nowhere near.
    const isElsewhere = !isKnown && root !== null && !isWithin(path, root)
    return this.#times.covers(path, (work) => isWithin(path, work) || (isElsewhere && packageOf(path) === null))
  }

  /** The other files of the package: a person is asked about a package once, and not about each file that it imports. */
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

  /** Files that are loaded, were loaded, or would be. */
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

/** Files that a person has to confirm, or has confirmed. */
export type TrustChange = { readonly held: readonly string[] } | { readonly accepted: readonly string[] }

/** The trusted files of a data folder: one object for the whole process. */
export const trustedFiles = (data: string): TrustedFiles => {
  const folder = realPath(data)
  const known = opened.get(folder) ?? new TrustedFiles(folder)
  opened.set(folder, known)
  return known
}

/** Forgets the object of a data folder that is released. */
export const forgetTrustedFiles = (data: string): void => void opened.delete(realPath(data))

const opened = new Map<string, TrustedFiles>()

const NOTHING: TrustRecord = { files: {}, held: {}, open: [] }

/** The folder of the package that a file belongs to; null = it is a file of no package. */
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

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)
