// The last step of `npm run build`: of the declarations that tsc emitted, those that a user can reach stay, with plain types where
// a schema was inferred.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeclarationGraph } from './declaration-graph.ts'
import { moduleOf } from './declaration-module.ts'
import { type DeclarationFile, parseDeclarations } from './declaration-syntax.ts'
import { answerTypes, schemaConstants, withPlainTypes } from './plain-schema-types.ts'

/** Emitted declarations by path, with plain types for schemas. */
export const plainDeclarations = (emitted: ReadonlyMap<string, string>): DeclarationFile[] => {
  const files = [...emitted].map(([path, text]) => parseDeclarations(path, text))
  const constants = schemaConstants(files)
  const answers = answerTypes(files)
  return files.map((file) => {
    const { imports } = moduleOf(file)
    const isConstant = (name: string): boolean => {
      const source = imports.get(name)
      return constants.has(source ? `${source.from}#${source.name}` : `${file.path}#${name}`)
    }
    return parseDeclarations(file.path, withPlainTypes(file, isConstant, answers))
  })
}

/** The declarations that are published, by path. */
export const publicDeclarations = (
  emitted: ReadonlyMap<string, string>,
  entries: readonly string[],
): Map<string, string> => {
  const graph = new DeclarationGraph(plainDeclarations(emitted))
  return new Map(
    [...graph.reach(entries)].map(([path, names]) => [path, graph.textWith(path, names, entries.includes(path))]),
  )
}

/** The declaration files of the entries, relative to `dist`. */
export const entryDeclarations = (manifest: { readonly exports: object }): string[] => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.endsWith('.d.ts')) found.add(value.replace('./dist/', ''))
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  visit(manifest.exports)
  return [...found]
}

/** The declarations below a folder, by path. */
export const readDeclarations = (folder: string): Map<string, string> =>
  new Map(
    globSync('**/*.d.ts', { cwd: folder })
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )

/** Keeps the declarations that a user can reach, and removes the others. `folder` is that of the package. */
export const writePublicDeclarations = (folder: string): void => {
  const dist = join(folder, 'dist')
  const emitted = readDeclarations(dist)
  const entries = entryDeclarations(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const kept = publicDeclarations(emitted, entries)
  for (const path of emitted.keys()) {
    const text = kept.get(path)
    if (text === undefined) rmSync(join(dist, path))
    else writeFileSync(join(dist, path), text)
  }
}
