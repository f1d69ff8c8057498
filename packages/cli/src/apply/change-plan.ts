// Decides per file what an apply does, from four versions: the session's, the target folder's, the base, and the one
// applied last.

/** Mode and blob as in an index. Empty if the file does not exist. */
export type FileEntry = string

/** By path, in Latin-1 because names need not be UTF-8. */
export type FileEntries = ReadonlyMap<string, FileEntry>

export interface ChangedFile {
  readonly path: string
  readonly base: FileEntry
  readonly now: FileEntry
}

export interface AppliedFile {
  readonly session: FileEntry
  /** The user's version when it was kept. Undefined if the file was copied. */
  readonly kept?: FileEntry
}

export type AppliedFiles = ReadonlyMap<string, AppliedFile>

export interface TargetFolder {
  readonly applied: AppliedFiles
  readonly target: FileEntries
  readonly keep: ReadonlySet<string>
}

export interface ChangePlan {
  /** Files to copy, with the version that each patch is based on. */
  readonly sources: FileEntries
  /** Files changed by both the session and the user since the last apply. */
  readonly conflicts: readonly string[]
}

export const changePlan = (files: readonly ChangedFile[], { applied, target, keep }: TargetFolder): ChangePlan => {
  const sources = new Map<string, FileEntry>()
  const conflicts: string[] = []
  for (const { path, base, now } of files) {
    const [last, here] = [applied.get(path), target.get(path) ?? '']
    if (here === now || keep.has(path)) continue
    // A first apply, or one that was undone. Git checks that the patch fits the user's own changes.
    if (last === undefined || (here === base && here !== last.kept)) sources.set(path, base)
    else if (here === last.session) sources.set(path, last.session)
    else if (now !== last.session) conflicts.push(path)
  }
  return { sources, conflicts }
}

export const appliedFiles = (files: readonly ChangedFile[], { applied, target, keep }: TargetFolder): AppliedFiles =>
  new Map(
    files.map(({ path, now }) => {
      const last = applied.get(path)
      if (keep.has(path)) return [path, { session: now, kept: target.get(path) ?? '' }]
      return [path, last?.session === now ? last : { session: now }]
    }),
  )

/** Files kept by an earlier apply that still differ from the session. */
export const keptFiles = (files: readonly ChangedFile[], { applied, target }: TargetFolder): readonly string[] =>
  files
    .filter(({ path, now }) => applied.get(path)?.kept !== undefined && (target.get(path) ?? '') !== now)
    .map(({ path }) => path)
