// The map in docs/architecture.md, compared with the folders and files that exist.
import { posix } from 'node:path'

/** Folders that the map must name: each package, each folder of its sources, and two levels of the cockpit. */
const MAPPED = [/^packages\/[^/]+$/, /^packages\/[^/]+\/src\/[^/]+$/, /^apps\/cockpit\/src\/[^/]+(\/[^/]+)?$/]

/**
 * Names on the map that do not exist, and folders that the map leaves out.
 * `paths` are all files of the repository, relative to its root.
 */
export const mapFindings = (page: string, paths: readonly string[]): string[] => {
  const files = new Set(paths.map(pathOnMap))
  const folders = new Set([...files].flatMap(foldersOf))
  const named = new Set<string>()
  const missing: string[] = []
  let open: { indent: number; folder: string }[] = []
  for (const line of mapLines(page)) {
    const indent = line.search(/\S/)
    open = open.filter((each) => each.indent < indent)
    const head = /^\s*((?:[\w.-]+\/)+)(?=\s|$)/.exec(line)?.[1]
    if (head) open.push({ indent, folder: posix.join(open.at(-1)?.folder ?? '', head) })
    const bases = [...open.map(({ folder }) => folder).reverse(), '']
    for (const [name] of line.matchAll(
      /(?<![\w./-])(?:(?:[\w.-]+\/)+[\w-]*\.ts|(?:[\w.-]+\/)+|[\w-]+\.ts)(?![\w/])/g,
    )) {
      const known = name.endsWith('/') ? folders : files
      const candidates = name === head ? [open.at(-1)!.folder] : bases.map((base) => posix.join(base, name))
      const path = candidates.find((each) => known.has(each.replace(/\/$/, '')))
      if (path === undefined) missing.push(`the map names \`${name}\`, which does not exist`)
      else named.add(path.replace(/\/$/, ''))
    }
  }
  const mapped = [...new Set(paths.flatMap(foldersOf))].filter(isMapped)
  const unnamed = mapped.filter((folder) => !named.has(pathOnMap(folder)))
  return [...missing, ...unnamed.sort().map((folder) => `the map does not name \`${folder}\``)]
}

const isMapped = (folder: string): boolean => MAPPED.some((pattern) => pattern.test(folder))

/** The map leaves out `src`: `packages/kernel/src/rules` is the folder `rules` of the package `kernel`. */
const pathOnMap = (path: string): string => path.replace(/^(packages\/[^/]+)\/src(?=\/)/, '$1')

const foldersOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

const mapLines = (page: string): string[] => {
  const block = /^## The map$[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(page)?.[1]
  if (block === undefined) throw new Error('docs/architecture.md has no code block below "## The map"')
  return block.split('\n').filter((line) => line.trim() !== '')
}
