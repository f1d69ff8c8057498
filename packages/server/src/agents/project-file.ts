// Project files are below its root, but outside of packages and of Bridle itself.
import { join, relative, sep } from 'node:path'
import { checkoutFolder, packageFolder } from '@bridle/system/package-folder'

export const isProjectFile = (path: string, root: string): boolean => {
  const place = relative(root, path)
  if (place === '' || place.startsWith('..') || place.split(sep).includes('node_modules')) return false
  return !isOwnFile(path)
}

export const isOwnFile = (path: string): boolean => path.startsWith(OWN_FOLDER)

/** Real path, since node_modules may link to this package. In a checkout it is below the project's root. */
const OWN_FOLDER = (checkoutFolder ? join(checkoutFolder, 'packages') : join(packageFolder, 'dist')) + sep
