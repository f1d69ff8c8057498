// Runs the wrangler that the project has installed. It is large and needed by this target only, so the package does not
// depend on it.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { checkoutFolder } from '@bridle/system/package-folder'
import { type ExitError, failure } from '../command/command.ts'

/** The tested version. The runtime of an older one does not know the compatibility date. */
const VERSION = '4.155.0'

export const startWrangler = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: 'inherit' | 'pipe' = 'pipe',
): ChildProcess =>
  // Use this Node, because wrangler refuses older versions, which may come first in the path.
  spawn(process.execPath, [findWrangler(env), ...args], {
    stdio: ['ignore', stdio, stdio],
    env: {
      ...env,
      // No metrics, and no requests to Cloudflare from a local build.
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      ...(process.execArgv.includes('--conditions=bridle-source') && {
        WRANGLER_BUILD_CONDITIONS: 'bridle-source,workerd,worker,browser',
      }),
    },
  })

export const findWrangler = ({ PATH = '' }: NodeJS.ProcessEnv): string => {
  const above = (folder: string): string[] => [
    join(folder, 'node_modules'),
    ...(dirname(folder) === folder ? [] : above(dirname(folder))),
  ]
  const beside = PATH.split(delimiter)
    .filter((folder) => folder.endsWith('.bin'))
    .map(dirname)
  // A checkout has wrangler in apps/worker.
  const ours = checkoutFolder ? [join(checkoutFolder, 'apps/worker/node_modules')] : []
  for (const modules of [...above(resolve('.')), ...beside, ...ours]) {
    const file = join(modules, 'wrangler/bin/wrangler.js')
    if (!existsSync(file)) continue
    const { version } = JSON.parse(readFileSync(join(modules, 'wrangler/package.json'), 'utf8')) as { version: string }
    if (version.localeCompare(VERSION, 'en', { numeric: true }) >= 0) return file
    throw wranglerNeeded(`wrangler ${VERSION} or newer, and ${version} is installed`)
  }
  throw wranglerNeeded('wrangler')
}

const wranglerNeeded = (what: string): ExitError =>
  failure(`The Cloudflare target needs ${what}: npm install --save-dev wrangler@${VERSION}`)
