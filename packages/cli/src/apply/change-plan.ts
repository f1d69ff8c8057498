// Decides file by file what an apply does. It compares the file of the session with the one in the folder of the person, the one that the
// session began with, and the one that the last apply brought over.

/** The mode and the blob of a file, as an index has them; empty = there is no such file. */
export type FileEntry = string

/** By path, in Latin-1: a name need not be UTF-8. */
export type FileEntries = ReadonlyMap<string, FileEntry>

export interface ChangedFile {
  readonly path: string
  /** As the session began with it. */
  readonly base: FileEntry
  /** As the session has it. */
  readonly now: FileEntry
}

/** The file of a session that counts as applied. */
export interface AppliedFile {
  /** As the session had it. */
  readonly session: FileEntry
  /** As the folder had it when the person kept it; undefined = it was brought over. */
  readonly kept?: FileEntry
}

/** By path, as in `FileEntries`. */
export type AppliedFiles = ReadonlyMap<string, AppliedFile>

/** The folder of the person. */
export interface TargetFolder {
  /** The files of the session that count as applied there. */
  readonly applied: AppliedFiles
  readonly target: FileEntries
  /** The paths of files that stay as they are. */
  readonly keep: ReadonlySet<string>
}

export interface ChangePlan {
  /** The files to bring over, each with the entry that its patch starts from. */
  readonly sources: FileEntries
  /** Files that both the session and the person changed since the last apply. */
  readonly conflicts: readonly string[]
}

export const changePlan = (files: readonly ChangedFile[], { applied, target, keep }: TargetFolder): ChangePlan => {
  const sources = new Map<string, FileEntry>()
  const conflicts: string[] = []
  for (const { path, base, now } of files) {
    const [last, here] = [applied.get(path), target.get(path) ?? '']
    if (here === now || keep.has(path)) continue
    // A first apply, or one that was undone. Git says whether the patch fits where the person changed the file, too.
    if (last === undefined || (here === base && here !== last.kept)) sources.set(path, base)
    else if (here === last.session) sources.set(path, last.session)
    else if (now !== last.session) conflicts.push(path)
  }
  return { sources, conflicts }
}

/** The files that count as applied after the plan was carried out. */
export const appliedFiles = (files: readonly ChangedFile[], { applied, target, keep }: TargetFolder): AppliedFiles =>
  new Map(
    files.map(({ path, now }) => {
      const last = applied.get(path)
      if (keep.has(path)) return [path, { session: now, kept: target.get(path) ?? '' }]
      return [path, last?.session === now ? last : { session: now }]
    }),
  )

/** The paths of the files that an earlier apply kept, where the folder still has another version than the session. */
export const keptFiles = (files: readonly ChangedFile[], { applied, target }: TargetFolder): readonly string[] =>
  files
    .filter(({ path, now }) => applied.get(path)?.kept !== undefined && (target.get(path) ?? '') !== now)
    .map(({ path }) => path)
