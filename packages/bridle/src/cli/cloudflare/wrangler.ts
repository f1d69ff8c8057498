// Cloudflare's own tool, as the project has it. Large, and only this target needs it, so it is not among our dependencies.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT_CODES, ExitError } from '../command.ts'

/** What ours is tested with. */
const VERSION = '4.155.0'

export const startWrangler = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: 'inherit' | 'pipe' = 'pipe',
): ChildProcess =>
  // By this very Node: an older one, should the machine have it first, is refused.
  spawn(process.execPath, [find(env), ...args], {
    stdio: ['ignore', stdio, stdio],
    env: {
      ...env,
      // Neither needed nor wanted for what happens here.
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      ...(process.execArgv.includes('--conditions=bridle-source') && {
        WRANGLER_BUILD_CONDITIONS: 'bridle-source,workerd,worker,browser',
      }),
    },
  })

const find = ({ PATH = '' }: NodeJS.ProcessEnv): string => {
  const above = (folder: string): string[] => [
    join(folder, 'node_modules'),
    ...(dirname(folder) === folder ? [] : above(dirname(folder))),
  ]
  const beside = PATH.split(delimiter)
    .filter((folder) => folder.endsWith('.bin'))
    .map(dirname)
  // In a checkout it is installed where it deploys from.
  const ours = fileURLToPath(new URL('../../../../../apps/worker/node_modules', import.meta.url))
  for (const modules of [...above(resolve('.')), ...beside, ours]) {
    const file = join(modules, 'wrangler/bin/wrangler.js')
    if (existsSync(file)) return file
  }
  throw new ExitError(
    EXIT_CODES.failed,
    `The Cloudflare target needs wrangler: npm install --save-dev wrangler@${VERSION}`,
  )
}
