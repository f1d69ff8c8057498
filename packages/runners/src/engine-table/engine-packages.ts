// Finds the package of an engine. Engines are large and optional, so Bridle does not depend on their packages.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { engineDescriptions } from './descriptions.ts'

export interface InstalledPackage {
  /** The folder whose `node_modules` has the package; BRIDLE_ENGINES may name it. */
  readonly root: string
  readonly folder: string
  readonly version: string
  /** Resolves another package as this one would. */
  readonly resolve: (name: string) => string
}

/** Looks in BRIDLE_ENGINES, then from the working folder upwards, then beside Bridle's own package. */
export const findPackage = (name: string, env: NodeJS.ProcessEnv = process.env): InstalledPackage | null => {
  const roots = [env.BRIDLE_ENGINES, process.cwd(), dirname(fileURLToPath(import.meta.url))]
  for (const root of roots) {
    const found = root ? findAbove(resolve(root), name) : null
    if (found) return found
  }
  return null
}

export const ENGINE_PACKAGES: readonly string[] = engineDescriptions.map(({ packageName }) => packageName)

const findAbove = (from: string, name: string): InstalledPackage | null => {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', name)
    const manifest = join(at, 'package.json')
    if (existsSync(manifest)) {
      const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
      return { root: folder, folder: at, version, resolve: createRequire(manifest).resolve }
    }
    if (dirname(folder) === folder) return null
  }
}
