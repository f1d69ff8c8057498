// The names of files: those of one folder, or all below it that fit a pattern.
import { posix } from 'node:path'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { FileWalk } from './file-walk.ts'
import type { ListRequest, ScanEnd } from './scan-request.ts'

/** Files in a list: more do not help a model. It asks for a folder or a pattern. */
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
    // A pattern is about files; without one the folders are part of the answer.
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

/** A pattern without a folder is about names in any folder. */
export const globTest = (glob: string | null): ((path: string) => boolean) => {
  if (glob === null) return () => true
  const whole = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`
  return (path) => posix.matchesGlob(path, whole)
}
