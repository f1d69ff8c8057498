// Paths without links, compared as text.
import { sep } from 'node:path'

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
