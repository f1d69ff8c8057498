// Bundles that many test files need, built by the first of them. Test files run in processes of their own, so a bundle is a folder, named by
// the digest of what it was built from: a later run that sees the same sources finds it too.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Another run may still use an older build. */
const KEPT_MS = 3_600_000

export interface SharedBuild {
  /** The folder below `node_modules/.cache` that has the builds. */
  readonly name: string
  /** Globs of all that the build reads, below the root. Tests are no part of it. */
  readonly sources: readonly string[]
  /** Writes the build into a folder that does not exist yet. */
  readonly build: (folder: string) => Promise<void>
}

/** Where the build of these sources is, or will be. */
export const buildFolder = ({ name, sources }: Pick<SharedBuild, 'name' | 'sources'>): string =>
  join(root, 'node_modules/.cache', name, digestOf([...sources, 'package-lock.json']))

/** The folder of the build. The first caller makes it, and moves it into its place whole. */
export const builtOnce = async ({ build, ...shared }: SharedBuild): Promise<string> => {
  const folder = buildFolder(shared)
  if (existsSync(folder)) return folder
  const cache = dirname(folder)
  const digest = basename(folder)
  mkdirSync(cache, { recursive: true })
  const fresh = `${folder}.${process.pid}`
  await build(fresh)
  try {
    renameSync(fresh, folder)
  } catch {
    // Another file of the same run was first.
    rmSync(fresh, { recursive: true, force: true })
  }
  for (const other of globSync('*', { cwd: cache }))
    if (!other.startsWith(digest) && Date.now() - statSync(join(cache, other)).mtimeMs > KEPT_MS)
      rmSync(join(cache, other), { recursive: true, force: true })
  return folder
}

const digestOf = (sources: readonly string[]): string => {
  const hash = createHash('sha256')
  for (const file of globSync([...sources], { cwd: root }).sort())
    if (!/\.test\.tsx?$/.test(file)) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
