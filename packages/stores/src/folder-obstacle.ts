import { existsSync, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'

/** Why the absolute path cannot be a folder, or null if no obstacle is known. */
export const folderObstacle = (path: string): string | null => {
  const place = nearestEntry(path)
  const name = place === path ? 'it' : place
  if (!existsSync(place)) return `${name} is a link to a folder that is not there`
  return statSync(place).isDirectory() ? null : `${name} is not a folder`
}

/** The nearest existing ancestor, or the path itself. Includes broken links. */
const nearestEntry = (path: string): string => {
  const above = dirname(path)
  return above === path || entryAt(path) ? path : nearestEntry(above)
}

/** Some systems report an error for paths below a file. */
const entryAt = (path: string): Stats | undefined => tryOr(undefined, () => lstatSync(path, { throwIfNoEntry: false }))
