// The sources of a folder of this repository, for the checks that read them all.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Texts by path. Paths are relative to the folder that was read, with `/` on every system. */
export type Sources = ReadonlyMap<string, string>

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

export const sourcesIn = (folder: string): Sources => {
  const files = globSync('**/*.{ts,tsx}', {
    cwd: `${root}/${folder}`,
    exclude: ['**/node_modules', '**/dist', '**/.types', '**/.bridle'],
  }).map((file) => file.replaceAll('\\', '/'))
  return new Map(files.sort().map((file) => [file, readFileSync(`${root}/${folder}/${file}`, 'utf8')]))
}

/** Sources that run in production: tests and the suites that several tests share are left out. */
export const productSourcesIn = (folder: string): Sources =>
  new Map([...sourcesIn(folder)].filter(([file]) => !isTest(file)))

export const isTest = (file: string): boolean => /\.(test|suite)\.tsx?$/.test(file)
