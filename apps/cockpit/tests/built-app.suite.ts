// The app as the tests serve it, built once for all test files that see the same sources.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const app = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/cockpit')

/** Another run may still serve an older build. */
const KEPT_MS = 3_600_000

/** Builds the app into a folder as it ships, not as Vitest's NODE_ENV would have it: less than two seconds. */
export const buildCockpit = async (outDir: string): Promise<void> => {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({ configFile: join(app, 'vite.config.ts'), logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

/** The folder of the built app. Files of a test run share it: the first builds it, and moves it into its place whole. */
export const builtCockpit = async (): Promise<string> => {
  const digest = sourceDigest()
  const folder = join(cache, digest)
  if (existsSync(folder)) return folder
  const fresh = `${folder}.${process.pid}`
  await buildCockpit(fresh)
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

const sourceDigest = (): string => {
  mkdirSync(cache, { recursive: true })
  const hash = createHash('sha256').update('production')
  const patterns = [
    'apps/cockpit/*.{html,ts}',
    'apps/cockpit/{src,public}/**/*.*',
    'packages/bridle/src/{client,react,assistant-ui,surfaces,kernel}/**/*.{ts,tsx}',
    'package-lock.json',
  ]
  for (const file of globSync(patterns, { cwd: root }).sort())
    if (!/\.(test|suite)\.tsx?$/.test(file)) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
