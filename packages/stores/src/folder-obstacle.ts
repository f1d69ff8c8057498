// The reason why a path cannot be a folder: a file or a link without a target stands in the way.
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'

/** Null = the folder is there, or nothing is known that hinders making it. The path is absolute. */
export const folderObstacle = (path: string): string | null => {
  const place = nearestEntry(path)
  const name = place === path ? 'it' : place
  if (!existsSync(place)) return `${name} is a link to a folder that is not there`
  return statSync(place).isDirectory() ? null : `${name} is not a folder`
}

/** The path itself, or the nearest one above it where there is something, be it a link to nothing. */
const nearestEntry = (path: string): string => {
  const above = dirname(path)
  return above === path || entryAt(path) ? path : nearestEntry(above)
}

/** Below a file there is nothing either: some systems call that an error. */
const entryAt = (path: string): Stats | undefined => tryOr(undefined, () => lstatSync(path, { throwIfNoEntry: false }))
