import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { readJson } from '@bridle/runners/process/json-file'
import type { SourcePosition } from './code-frame.ts'

export class MissingImportError extends Error {
  readonly code = 'import_missing'
  /** Null if the import is not found in the source text. */
  readonly position: SourcePosition | null
  readonly #importer: string
  readonly #problem: string

  constructor(specifier: string, importer: string, root: string, cause: unknown) {
    const problem = `imports "${specifier}", ${missing(specifier, importer, root)}`
    super(`${importer} ${problem}`, { cause })
    this.position = importPosition(specifier, join(root, importer))
    this.#importer = importer
    this.#problem = problem
  }

  /** Omits the file name if the reader already sees it. */
  messageFor(file: string): string {
    return file === this.#importer ? `it ${this.#problem}` : this.message
  }
}

/** The file is an ES module, but its package.json says otherwise. */
export class CommonJsError extends Error {
  readonly code = 'not_a_module'

  constructor(packageFile: string) {
    super(`${packageFile} says "type": "commonjs", but the file uses import or export. Run: npm pkg set type=module`)
  }
}

/** The file changed while an agent could write it, and no person has confirmed the change. */
export class UnconfirmedFileError extends Error {
  readonly code = 'unconfirmed_file'

  constructor(path: string) {
    const file = relative(process.cwd(), path)
    super(
      `${file} changed while a session worked in place in its folder, so it is not loaded. Look at it, then confirm it: press a in bridle dev, or run bridle dev --accept ${file}`,
    )
  }
}

const missing = (specifier: string, importer: string, root: string): string => {
  if (!/^(\.|\/|file:|#)/.test(specifier)) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    if (name === 'bridle') return 'which is not installed here. Run npm install with the file that npm run pack made.'
    // Never suggest an unknown package: anybody could have published it.
    const near = nearestName(name, [...projectPackages(root), 'bridle'])
    return near === null || near === name
      ? `which is not installed. Run: npm install ${name}`
      : `which is not installed. Did you mean "${near}${specifier.slice(name.length)}"?`
  }
  const folder = dirname(join(root, importer))
  const stem = specifier.replace(/\.(js|mjs|ts)$/, '')
  const there = ['.ts', '.js', '.mjs', '/index.ts', '/index.js']
    .map((ending) => `${stem}${ending}`)
    .find((each) => specifier.startsWith('.') && existsSync(join(folder, each)))
  if (there !== undefined) return `which is not there. Write "${there}": an import names the whole file.`
  const place = specifier.startsWith('.') ? relative(root, join(folder, specifier)) : specifier
  return `but there is no file ${place}.`
}

const projectPackages = (root: string): readonly string[] => {
  const manifest = (readJson(join(root, 'package.json')) ?? {}) as { readonly [field: string]: object | undefined }
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies })
}

/** Uses a regular expression instead of a parser, so an unusually formatted import is not found. */
const importPosition = (specifier: string, path: string): SourcePosition | null => {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = [...text.matchAll(IMPORTS)].find(([, , name]) => name === specifier)
  if (!found) return null
  const before = text.slice(0, found.index + found[0].length - specifier.length - 2).split('\n')
  return { path, line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

const IMPORTS = /(?:^[ \t]*(?:import|export)\b[^'"]*|\bimport\(\s*)(['"])(.*?)\1/gm
