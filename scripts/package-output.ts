// The published package has one folder per package of the checkout. tsc writes `<package>/src/…` with imports by package name; here each
// file moves to `<package>/…`, and such an import becomes a relative one.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** The text of an emitted file at `path`, relative to the output folder after the move. */
export const withRelativeImports = (text: string, path: string): string =>
  text.replaceAll(/(['"])@bridle\/([\w-]+)\/([\w./-]+)\1/g, (_, quote: string, name: string, file: string) => {
    const target = posix.relative(posix.dirname(path), publishedPath(`${name}/src/${file}.js`))
    return `${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
  })

/** `kernel/src/session/session.js` becomes `kernel/session/session.js`; the entry of the package itself is at the root. */
export const publishedPath = (emitted: string): string =>
  emitted.replace(/^bridle\/src\//, '').replace(/^([\w-]+)\/src\//, '$1/')

/** Moves what tsc wrote below `folder` to `target`. */
export const publishOutput = (folder: string, target: string): void => {
  for (const emitted of globSync('**/*.{js,d.ts}', { cwd: folder })) {
    const path = publishedPath(emitted.replaceAll('\\', '/'))
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), withRelativeImports(readFileSync(join(folder, emitted), 'utf8'), path))
  }
  rmSync(folder, { recursive: true })
}
