// Large tools that only some tests need: fetched once into a cache folder, by the lockfile of the app that pins them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const files = ['package.json', 'package-lock.json', '.npmrc']

/** The folder that holds the app's `node_modules`, or why there is none. */
export const fetchPinned = (app: string, name: string): { folder: string } | { missing: string } => {
  const pins = fileURLToPath(new URL(`../${app}`, import.meta.url))
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(pins, file)))
  // Engines that root starts are another user, to whom root's home is closed.
  const cache = process.env.XDG_CACHE_HOME || (process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'))
  const folder = join(cache, 'bridle', `${name}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return { folder }
  let fresh = ''
  try {
    mkdirSync(join(cache, 'bridle'), { recursive: true })
    fresh = mkdtempSync(join(cache, 'bridle', 'fetching-'))
    chmodSync(fresh, 0o755)
    for (const file of files) cpSync(join(pins, file), join(fresh, file))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fresh, timeout: 300_000, stdio: 'pipe' })
    // Whole or not at all; whoever was first stays.
    renameSync(fresh, folder)
    return { folder }
  } catch (error) {
    rmSync(fresh || '/nonexistent', { recursive: true, force: true })
    if (existsSync(folder)) return { folder }
    const [line = ''] = String((error as { stderr?: unknown }).stderr || error)
      .trim()
      .split('\n')
    return { missing: `the ${name} could not be installed: ${line}` }
  }
}
