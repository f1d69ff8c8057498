import { posix } from 'node:path'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { FileWalk } from './file-walk.ts'
import type { ListRequest, ScanEnd } from './scan-request.ts'

/** Longer lists do not help a model, which can narrow by folder or pattern. */
const FILES_MAX = 500

export const listFiles = (
  folder: ConfinedFolder,
  { path, glob }: ListRequest,
  onLine: (line: string) => void,
): ScanEnd => {
  const place = folder.placeOf(path)
  const isWanted = globTest(glob)
  let found = 0
  const walk = new FileWalk(({ path: below, kind }) => {
    // A pattern matches files only. Without one, folders are listed too.
    if (glob !== null && (kind === 'folder' || !isWanted(below))) return true
    if (found === FILES_MAX) return false
    found += 1
    onLine(posix.join(place.parts.join('/'), below) + MARKS[kind])
    return true
  })
  walk.walk(folder, place, { isDeep: glob !== null })
  return { isCut: walk.isCut, skipped: walk.skipped }
}

const MARKS = { file: '', folder: '/', link: ' (link)', other: ' (no file)' }

/** A pattern without a slash matches names in any folder. */
export const globTest = (glob: string | null): ((path: string) => boolean) => {
  if (glob === null) return () => true
  const whole = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`
  return (path) => posix.matchesGlob(path, whole)
}
