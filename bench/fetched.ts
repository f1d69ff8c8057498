// A rival that the benchmark alone needs: fetched when it runs, left out by name when it cannot be.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const folder = fileURLToPath(new URL('../.bench/rivals', import.meta.url))
const INSTALL_MS = 60_000

export async function fetchPackage<T>(spec: string): Promise<T | null> {
  const name = spec.slice(0, spec.lastIndexOf('@'))
  try {
    mkdirSync(folder, { recursive: true })
    if (!existsSync(join(folder, 'node_modules', name))) {
      const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', spec]
      await promisify(execFile)('npm', args, { timeout: INSTALL_MS })
    }
    return createRequire(join(folder, 'from.js'))(name) as T
  } catch (error) {
    console.log(JSON.stringify({ skipped: name, why: (error as Error).message.split('\n').slice(0, 3).join(' ') }))
    return null
  }
}
