// package.json of a new project: that of the template, or the one that is there, with the template's lines added. `npm init` and
// `npm install` write one before anybody can run `npx bridle init`.

import { isDeepStrictEqual } from 'node:util'

interface Manifest {
  readonly name?: string
  readonly type?: string
  readonly main?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The script that `npm init` writes. A file with it is fresh: nothing in it was decided by anybody. */
const NPM_INIT_TEST = 'echo "Error: no test specified" && exit 1'

/** The text of the file; or, where the file that is there decides otherwise, the sentence that says so. */
export const projectManifest = (
  template: string,
  { name, bridle, present }: { readonly name: string; readonly bridle: string; readonly present: string | null },
): { readonly text: string } | { readonly problem: string } => {
  const wanted = withBridle({ ...(JSON.parse(template) as Manifest), name }, bridle)
  if (present === null) return { text: print(wanted) }
  const parsed = parse(present)
  if (parsed === null) return { problem: 'package.json is not JSON.' }
  const own = parsed.scripts?.test === NPM_INIT_TEST ? withoutDefaults(parsed) : parsed
  if (own.type !== undefined && own.type !== 'module')
    return {
      problem:
        'package.json says "type": "commonjs"; agents need "type": "module". Choose another folder, or run: npm pkg set type=module',
    }
  const merged: Manifest = {
    ...own,
    type: 'module',
    // The lines that are there win.
    scripts: { ...wanted.scripts, ...own.scripts },
    dependencies: sorted({ ...wanted.dependencies, ...own.dependencies, bridle }),
    devDependencies: sorted({ ...wanted.devDependencies, ...own.devDependencies }),
  }
  return { text: isDeepStrictEqual(merged, parsed) ? present : print(merged) }
}

const withBridle = (manifest: Manifest, bridle: string): Manifest => ({
  ...manifest,
  dependencies: { ...manifest.dependencies, bridle },
})

const withoutDefaults = ({ type: _type, main: _main, scripts, ...rest }: Manifest): Manifest => {
  const { test: _test, ...others } = scripts ?? {}
  return { ...rest, scripts: others }
}

const parse = (text: string): Manifest | null => {
  try {
    return JSON.parse(text) as Manifest
  } catch {
    return null
  }
}

const sorted = (entries: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const print = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`
