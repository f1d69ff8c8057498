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

/** The sources of all packages, as `kernel/session/session.ts`. */
export const packageSources = (): Sources =>
  new Map(
    [...sourcesIn('packages')].flatMap(([file, text]): [string, string][] => {
      const [name, folder, ...rest] = file.split('/')
      return folder === 'src' ? [[[name, ...rest].join('/'), text]] : []
    }),
  )

/** Where such a source is, from the root. */
export const packageFile = (source: string): string => `packages/${source.replace('/', '/src/')}`

/** Sources that run in production: tests and the suites that several tests share are left out. */
export const withoutTests = (sources: Sources): Sources => new Map([...sources].filter(([file]) => !isTest(file)))

export const isTest = (file: string): boolean => /\.(test|suite)\.tsx?$/.test(file)
