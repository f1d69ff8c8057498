// Searches files with a regular expression. Its thread is killed on timeout, because a pattern may backtrack forever.
import { closeSync, lstatSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { truncate } from '@bridle/kernel/text/truncate'
import { type OpenFolder, openFileIn, pathIn } from '@bridle/system/folders/open-folder'
import type { ConfinedFolder, WorkspacePlace } from '../files/confined-folder.ts'
import { isBinary, regularFile } from '../files/file-reading.ts'
import { WorkspaceError } from '../files/workspace-error.ts'
import { globTest } from './file-list.ts'
import { FileWalk } from './file-walk.ts'
import type { ScanEnd, SearchRequest } from './scan-request.ts'

/** Beyond this a model should narrow its pattern. */
const MATCHES_MAX = 200
/** Enough to recognise a match. Longer lines are minified. */
const MATCH_CHARS_MAX = 300
/** Larger files are data. */
const SEARCH_BYTES_MAX = 4 * 2 ** 20

export const searchFiles = (
  folder: ConfinedFolder,
  request: SearchRequest,
  onLine: (line: string) => void,
): ScanEnd => {
  const place = folder.placeOf(request.path)
  const [expression, isWanted] = [expressionOf(request), globTest(request.glob)]
  let [found, skipped] = [0, 0]
  const searchFile = (parent: OpenFolder, name: string, path: string): boolean => {
    const text = textOf(parent, name)
    if (text === null) skipped += 1
    for (const [index, line] of (text ?? '').split('\n').entries()) {
      if (!expression.test(line)) continue
      if (found === MATCHES_MAX) return false
      found += 1
      onLine(`${path}:${index + 1}: ${shortLine(line)}`)
    }
    return true
  }
  const end = (isCut: boolean): ScanEnd => ({ isCut, skipped })
  if (isFile(folder, place)) {
    const path = place.parts.join('/')
    return end(!folder.around(place, (parent, name) => searchFile(parent, name, path)))
  }
  const walk = new FileWalk(({ path: below, kind, folder: parent, name }) => {
    if (kind !== 'file' || !isWanted(below)) return true
    return searchFile(parent, name, posix.join(place.parts.join('/'), below))
  })
  walk.walk(folder, place)
  skipped += walk.skipped
  return end(walk.isCut)
}

const expressionOf = ({ pattern, isText, ignoresCase }: SearchRequest): RegExp => {
  const source = isText ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : pattern
  try {
    return new RegExp(source, ignoresCase ? 'i' : '')
  } catch (error) {
    throw new WorkspaceError('bad_pattern', `${(error as Error).message}. For plain text set text.`)
  }
}

const isFile = (folder: ConfinedFolder, place: WorkspacePlace): boolean =>
  place.parts.length > 0 && folder.around(place, (parent, name) => lstatSync(pathIn(parent, name)).isFile())

/** Empty for binary files. Null if too large or unreadable. */
const textOf = (folder: OpenFolder, name: string): string | null => {
  let descriptor: number | null = null
  try {
    descriptor = openFileIn(folder, name)
    if (regularFile(descriptor, name).size > SEARCH_BYTES_MAX) return null
    const bytes = readFileSync(descriptor)
    return isBinary(bytes) ? '' : bytes.toString('utf8')
  } catch {
    return null
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

const shortLine = (line: string): string => {
  const text = line.trim()
  return text.length > MATCH_CHARS_MAX ? `${truncate(text, MATCH_CHARS_MAX)}…` : text
}
