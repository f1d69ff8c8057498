// Bundles that many test files need, built by the first of them. Test files run in processes of their own, so a bundle is a folder, named by
// the digest of what it was built from: a later run that sees the same sources finds it too.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const CACHES = join(root, 'node_modules/.cache')
/** A build takes a second or two. */
const WAIT_MS = 50
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
export const buildFolder = ({ name, sources }: Pick<SharedBuild, 'name' | 'sources'>, caches = CACHES): string =>
  join(caches, name, digestOf([...sources, 'package-lock.json']))

/** The folder of the build. The first caller makes it, and moves it into its place whole. Callers in other processes wait for it. */
export const builtOnce = async ({ build, ...shared }: SharedBuild, caches = CACHES): Promise<string> => {
  const folder = buildFolder(shared, caches)
  if (existsSync(folder)) return folder
  const cache = dirname(folder)
  const digest = basename(folder)
  mkdirSync(cache, { recursive: true })
  const lock = `${folder}.lock`
  while (!existsSync(folder)) {
    if (!takeLock(lock)) await setTimeout(WAIT_MS)
    else
      try {
        // The holder before may have finished between the two checks.
        if (!existsSync(folder)) await buildInto(folder, build)
      } finally {
        rmSync(lock, { force: true })
      }
  }
  for (const other of globSync('*', { cwd: cache }))
    if (!other.startsWith(digest) && Date.now() - statSync(join(cache, other)).mtimeMs > KEPT_MS)
      rmSync(join(cache, other), { recursive: true, force: true })
  return folder
}

const buildInto = async (folder: string, build: SharedBuild['build']): Promise<void> => {
  const fresh = `${folder}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  await build(fresh)
  renameSync(fresh, folder)
}

/** False while another live process, or another call in this one, has the lock. */
const takeLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** The process that a build was interrupted with does not hold it. */
const isHeld = (lock: string): boolean => {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')) || process.pid, 0)
    return true
  } catch {
    return false
  }
}

const digestOf = (sources: readonly string[]): string => {
  const hash = createHash('sha256')
  for (const file of globSync([...sources], { cwd: root }).sort())
    if (!/\.test\.tsx?$/.test(file)) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
