// Which tests start programs, read from their imports, so that nobody keeps a list.
//
// A test file is a process test when its test code imports a module that starts programs, or a source file that does. Test code
// is the file itself and what it imports outside of the published source: `*.suite.ts`, scripts, tools. All other tests
// are fast. A fast test that starts a program all the same fails: scripts/fast-test-setup.ts.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface TestKinds {
  readonly fast: readonly string[]
  readonly processes: readonly string[]
}

/** Sorts the test files below `root`. Paths are relative to it, with `/`. */
export const testKinds = (root: string, patterns: readonly string[], exclude: readonly string[]): TestKinds => {
  const importsOf = importReader(root)
  const files = globSync([...patterns], { cwd: root, exclude: [...exclude] }).map(toPosix)
  const processes = new Set(files.filter((file) => startsPrograms(file, importsOf)))
  return { fast: files.filter((file) => !processes.has(file)).sort(), processes: [...processes].sort() }
}

/** Modules through which a test starts a program or a browser. */
const STARTERS = new Set(['node:child_process', 'node:cluster', 'playwright-core'])

type ImportsOf = (file: string) => readonly string[]

const startsPrograms = (test: string, importsOf: ImportsOf): boolean => {
  const seen = new Set([test])
  const isStarter = (file: string) => importsOf(file).some((specifier) => STARTERS.has(specifier))
  // A set may grow while it is walked: the loop also visits what it adds.
  for (const file of seen) {
    if (isStarter(file)) return true
    for (const specifier of importsOf(file)) {
      const path = importedFile(specifier, file)
      if (path === null) continue
      if (isTestCode(path)) seen.add(path)
      else if (isStarter(path)) return true
    }
  }
  return false
}

/** The file that an import names: a relative one, or one of a package of ours. */
const importedFile = (specifier: string, file: string): string | null => {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  const [, name, path] = /^@bridle\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return path === undefined ? null : `packages/${name}/src/${path}.ts`
}

const isTestCode = (file: string): boolean => /\.(test|suite)\.tsx?$/.test(file) || !file.startsWith('packages/')

// Type imports vanish at run time, and start nothing.
const importReader = (root: string): ImportsOf => {
  const known = new Map<string, readonly string[]>()
  const read = (file: string): readonly string[] => {
    const path = join(root, file)
    if (!/\.tsx?$/.test(file) || !existsSync(path)) return []
    const text = readFileSync(path, 'utf8')
    const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module
    const imported = staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value)
    const exported = staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value]))
    const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1))
    return [...imported, ...exported, ...dynamic]
  }
  return (file) => {
    const imports = known.get(file) ?? read(file)
    known.set(file, imports)
    return imports
  }
}

const toPosix = (file: string): string => file.replaceAll('\\', '/')
