// Which files belong to a project: those below its root, but neither those of packages nor those of Bridle itself.
import { join, relative, sep } from 'node:path'
import { checkoutFolder, packageFolder } from '@bridle/system/package-folder'

export const isProjectFile = (path: string, root: string): boolean => {
  const place = relative(root, path)
  if (place === '' || place.startsWith('..') || place.split(sep).includes('node_modules')) return false
  return !isOwnFile(path)
}

export const isOwnFile = (path: string): boolean => path.startsWith(OWN_FOLDER)

/** The folder of this package, also as the target of a link in node_modules. In a checkout it is below the root of the project. */
const OWN_FOLDER = (checkoutFolder ? join(checkoutFolder, 'packages') : join(packageFolder, 'dist')) + sep
