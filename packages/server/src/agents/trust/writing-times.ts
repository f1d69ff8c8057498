// When sessions in place could write, and in which folders. The kernel sets the time of a file's last change, and no agent can set it
// back. So that time shows whether a session or a person wrote a file that was not in the record. Each server writes its times into its own
// data folder, and into the data folders of other projects in which its agents may write, since their servers load files from there.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { readJson, writeJson } from '@bridle/runners/process/json-file'
import { protectedPlaces } from '@bridle/runners/sandboxes/protection/protected-places'
import { projectsAbove, projectsBelow } from '@bridle/runners/sandboxes/protection/server-projects'

/** Times in which a session could write in place, for each server: a hundred days of ten sandboxes; beyond it two become one. */
export const WRITING_TIMES_MAX = 1_000
/** A file system notes times by a clock that ticks every 10 ms, and up to one tick late. */
export const CLOCK_SLACK_MS = 20

interface WritingTime {
  readonly work: string
  readonly from: number
  /** Null = it has not ended. */
  readonly to: number | null
  /** Packages that the sandbox showed read-only, with the identity of the folder: a mount is gone once its folder is replaced. */
  readonly locked: { readonly [path: string]: string }
}

export class WritingTimes {
  readonly #data: string
  readonly #folder: string
  readonly #name: string
  /** The other data folders that know of a work folder: looked for once, since a walk over a large repository takes time. */
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

  /** Whether a session in this folder could have written the file as it is now. */
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
        // The project of another user, which this server's agents cannot write either.
      }
  }

  #write(folder: string, change: (times: WritingTime[]) => WritingTime[]): void {
    const file = join(folder, this.#name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeJson(file, shortened(change(readTimes(file))))
  }
}

/** The data folders of other servers that load from this folder. */
const otherData = (work: string, own: string): string[] =>
  [work, ...[...projectsBelow(work), ...projectsAbove(work)].map(({ root }) => root)]
    .map((root) => join(root, '.bridle'))
    .filter((data, at, all) => all.indexOf(data) === at && data !== own && namesIn(data).length > 0)

/** Two times of one folder become one that also covers what lies between them: a person is asked once too often, and never too seldom. */
const shortened = (times: readonly WritingTime[]): readonly WritingTime[] => {
  if (times.length <= WRITING_TIMES_MAX) return times
  const ended = times.filter(({ to }) => to !== null)
  const next = ended.find((each, at) => ended.slice(0, at).some(({ work }) => work === each.work))
  const first = ended.find(({ work }) => work === next?.work)
  // As many folders as times, or all of them still open.
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

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)
