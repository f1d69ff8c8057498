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

export interface ChangePlan {
  /** The files to bring over, each with the entry that its patch starts from. */
  readonly sources: FileEntries
  /** Files that both the session and the person changed since the last apply. */
  readonly conflicts: readonly string[]
}

export const changePlan = (files: readonly ChangedFile[], applied: FileEntries, target: FileEntries): ChangePlan => {
  const sources = new Map<string, FileEntry>()
  const conflicts: string[] = []
  for (const { path, base, now } of files) {
    const [last, here] = [applied.get(path), target.get(path) ?? '']
    if (here === now) continue
    // A first apply, or one that was undone. Git says whether the patch fits where the person changed the file, too.
    if (last === undefined || here === base) sources.set(path, base)
    else if (here === last) sources.set(path, last)
    else if (now !== last) conflicts.push(path)
  }
  return { sources, conflicts }
}
