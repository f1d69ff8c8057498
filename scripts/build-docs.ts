// The pages that travel with the package, copied by `npm run build`: what a user reads, and not how it is built. A link to a page
// that stays behind becomes its text.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const STAY_BEHIND = new Set(['architecture.md', 'benchmarks.md', 'crash-matrix.md', 'contributing.md'])

/** Pages by their path below docs, with links only to each other and to the web. */
export const packedPages = (pages: ReadonlyMap<string, string>): Map<string, string> => {
  const packed = [...pages].filter(([path]) => !STAY_BEHIND.has(path) && !path.startsWith('decisions/'))
  const paths = new Set(packed.map(([path]) => path))
  return new Map(
    packed.map(([path, text]) => [
      path,
      text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, words: string, to: string) => {
        const [file = ''] = to.split('#')
        const isKept = file === '' || to.includes('://') || paths.has(posix.join(posix.dirname(path), file))
        return isKept ? link : words
      }),
    ]),
  )
}

export const docsFolder = fileURLToPath(new URL('../docs', import.meta.url))

export const readPages = (folder: string): Map<string, string> =>
  new Map(
    globSync('**/*.md', { cwd: folder })
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )

/** The pages, copied to a folder of the package. */
export const copyPages = (target: string): void => {
  rmSync(target, { recursive: true, force: true })
  for (const [path, text] of packedPages(readPages(docsFolder))) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), text)
  }
}
