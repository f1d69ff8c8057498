// Imports of an agent's file that cannot work: each error says what to do.
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The imported package or file is not there. */
export class MissingImportError extends Error {
  readonly code = 'import_missing'
  readonly #importer: string
  readonly #problem: string

  constructor(specifier: string, importer: string, root: string, cause: unknown) {
    const problem = `imports "${specifier}", ${missing(specifier, importer, root)}`
    super(`${importer} ${problem}`, { cause })
    this.#importer = importer
    this.#problem = problem
  }

  /** The sentence below the name of a file, which is not repeated. */
  messageFor(file: string): string {
    return file === this.#importer ? `it ${this.#problem}` : this.message
  }
}

/** The file is an ES module, and its package.json says that it is none. */
export class CommonJsError extends Error {
  readonly code = 'not_a_module'

  constructor(packageFile: string) {
    super(`${packageFile} says "type": "commonjs", but the file uses import or export. Run: npm pkg set type=module`)
  }
}

const missing = (specifier: string, importer: string, root: string): string => {
  if (!/^(\.|\/|file:|#)/.test(specifier)) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    return name === 'bridle'
      ? 'which is not installed here. Run npm install with the file that npm run pack made.'
      : `which is not installed. Run: npm install ${name}`
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
