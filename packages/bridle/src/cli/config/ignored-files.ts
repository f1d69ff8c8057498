// Files that look like settings but are not read. A note about each tells its author why nothing changes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CONFIGS = ['cjs', 'mts', 'cts', 'json'].map((ending) => `bridle.config.${ending}`)
const VARIABLES = ['.env.local', '.env.development', '.env.production']

/** A line for each. */
export const ignoredFileNotes = (folder = '.'): readonly string[] => {
  const there = (name: string) => existsSync(join(folder, name))
  return [
    ...CONFIGS.filter(there).map((name) => `${name} is not read: settings belong into bridle.config.ts, .js or .mjs.`),
    ...VARIABLES.filter(there).map((name) => `${name} is not read: variables belong into .env.`),
  ]
}
