// The packages of rivals: only the benchmark needs them, so it installs them when it runs, and skips a rival that cannot be installed.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const folder = fileURLToPath(new URL('../.bench/rivals', import.meta.url))
/** The folder of the packages, for a tool that resolves them itself. */
export const fetchedModules = join(folder, 'node_modules')
const INSTALL_MS = 180_000

/** Installs the missing packages together. Prints the reason and returns false when that fails. */
export const fetchPackages = async (rival: string, specs: readonly string[]): Promise<boolean> => {
  const missing = specs.filter((spec) => !isThere(spec))
  if (missing.length === 0) return true
  try {
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...missing]
    await promisify(execFile)('npm', args, { timeout: INSTALL_MS })
    return true
  } catch (error) {
    reportSkippedRival(rival, error)
    return false
  }
}

/** Imports a package that `fetchPackages` installed. */
export const requireFetched = <T>(name: string): T => createRequire(join(folder, 'from.js'))(name) as T

export const fetchPackage = async <T>(spec: string): Promise<T | null> => {
  const name = spec.slice(0, spec.lastIndexOf('@'))
  return (await fetchPackages(name, [spec])) ? requireFetched<T>(name) : null
}

export const reportSkippedRival = (rival: string, error: unknown): void => {
  const lines = (error as Error).message.split('\n').filter((line) => !line.startsWith('    at '))
  const why = lines.slice(0, 3).join(' ')
  console.log(JSON.stringify({ skipped: rival, why }))
}

const isThere = (spec: string): boolean => {
  const at = spec.lastIndexOf('@')
  try {
    const { version } = JSON.parse(readFileSync(join(fetchedModules, spec.slice(0, at), 'package.json'), 'utf8'))
    return version === spec.slice(at + 1)
  } catch {
    return false
  }
}
