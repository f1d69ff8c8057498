// The data folder before the settings file is read.
import { join } from 'node:path'

export const DEFAULT_DATA = '.bridle'

export const dataFolderOf = ({ data }: { readonly data?: string }, folder = '.', env = process.env): string =>
  data ?? env.BRIDLE_DATA ?? join(folder, DEFAULT_DATA)
