// Files that look like settings but are not read. A note about each tells its author why nothing changes.
import { statSync } from 'node:fs'
import { join } from 'node:path'

const CONFIGS = ['cjs', 'mts', 'cts', 'json'].map((ending) => `bridle.config.${ending}`)
const VARIABLES = ['.env.local', '.env.development', '.env.production']

/** A line for each. */
export const ignoredFileNotes = (folder = '.'): readonly string[] => {
  const there = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true
  return [
    ...CONFIGS.filter(there).map((name) => `${name} is not read: settings belong into bridle.config.ts, .js or .mjs.`),
    ...VARIABLES.filter(there).map((name) => `${name} is not read: variables belong into .env.`),
  ]
}
