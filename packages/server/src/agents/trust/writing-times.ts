// Records when in-place sessions could write, and where. Agents cannot reset a file's ctime, so it shows whether a session or a
// person changed an unrecorded file. Also written to the data folders of other projects that the agents can write.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { readJson, writeJson } from '@bridle/runners/process/json-file'
import { isWithin, protectedPlaces } from '@bridle/runners/sandboxes/protection/protected-places'
import { projectsAbove, projectsBelow } from '@bridle/runners/sandboxes/protection/server-projects'

/** A hundred days of ten sandboxes per server. Beyond that, two are merged. */
export const WRITING_TIMES_MAX = 1_000
/** File system timestamps tick every 10 ms, and can be one tick late. */
export const CLOCK_SLACK_MS = 20

interface WritingTime {
  readonly work: string
  readonly from: number
  /** Null if still open. */
  readonly to: number | null
  /** Packages that the sandbox mounted read-only, with their folder's identity: replacing the folder drops the mount. */
  readonly locked: { readonly [path: string]: string }
}

export class WritingTimes {
  readonly #data: string
  readonly #folder: string
  readonly #name: string
  /** Other data folders to notify, per work folder. Cached, because scanning a large repository takes time. */
  readonly #others = new Map<string, readonly string[]>()

  constructor(data: string) {
    this.#data = resolve(data)
    this.#folder = join(data, 'in-place')
    this.#name = `${createHash('sha256').update(this.#data).digest('hex').slice(0, 16)}.json`
  }

  begin(work: string): void {
    const locked = protectedPlaces(work).present.filter((path) => path.endsWith(`${sep}node_modules`))
    const time = {
      ...{ work, from: Date.now(), to: null },
      locked: Object.fromEntries(locked.map((path) => [path, identityOf(path)])),
    }
    this.#others.set(work, otherData(work, this.#data))
    this.#change(work, (times) => [...times, time])
  }

  end(work: string): void {
    const to = Date.now()
    this.#change(work, (times) =>
      times.map((each) => (each.work === work && each.to === null ? { ...each, to } : each)),
    )
  }

  /** True if a session in such a folder could have written the file's current content. */
  covers(path: string, isInReach: (work: string) => boolean): boolean {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.ctimeMs
    if (changedAt === undefined) return false
    return this.#all().some(
      ({ work, from, to, locked }) =>
        changedAt >= from - CLOCK_SLACK_MS &&
        (to === null || changedAt <= to + CLOCK_SLACK_MS) &&
        isInReach(work) &&
        !Object.entries(locked).some(([folder, identity]) => isWithin(path, folder) && identityOf(folder) === identity),
    )
  }

  #all(): WritingTime[] {
    return namesIn(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => readTimes(join(this.#folder, name)))
  }

  #change(work: string, change: (times: WritingTime[]) => WritingTime[]): void {
    this.#write(this.#folder, change)
    for (const data of this.#others.get(work) ?? [])
      try {
        this.#write(join(data, 'in-place'), change)
      } catch {
        // Another user's project, which this server's agents cannot write either.
      }
  }

  #write(folder: string, change: (times: WritingTime[]) => WritingTime[]): void {
    const file = join(folder, this.#name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeJson(file, shortened(change(readTimes(file))))
  }
}

/** Data folders of other servers that load from this folder. */
const otherData = (work: string, own: string): string[] =>
  [work, ...[...projectsBelow(work), ...projectsAbove(work)].map(({ root }) => root)]
    .map((root) => join(root, '.bridle'))
    .filter((data, at, all) => all.indexOf(data) === at && data !== own && namesIn(data).length > 0)

/** Merges two periods of a folder, including the gap. Asking once too often is safe; too rarely is not. */
const shortened = (times: readonly WritingTime[]): readonly WritingTime[] => {
  if (times.length <= WRITING_TIMES_MAX) return times
  const ended = times.filter(({ to }) => to !== null)
  const next = ended.find((each, at) => ended.slice(0, at).some(({ work }) => work === each.work))
  const first = ended.find(({ work }) => work === next?.work)
  // Nothing to merge: every folder has one period, or all are open.
  if (!first || !next) return times.slice(1)
  const both = { ...next, from: first.from, locked: {} }
  return shortened(times.flatMap((each) => (each === first ? [both] : each === next ? [] : [each])))
}

const readTimes = (file: string): WritingTime[] => (readJson(file) ?? []) as WritingTime[]

const identityOf = (folder: string): string => {
  const found = statSync(folder, { throwIfNoEntry: false, bigint: true })
  return `${found?.dev}:${found?.ino}:${found?.birthtimeNs}`
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
