// `bridle dev --target cloudflare` runs the Worker in the real runtime on this machine, with its objects in the data folder.

import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchAgents } from '../../targets/agents/folder.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { WORKER_READY_MS } from '../limits.ts'
import { authorizationHint, readyMessage } from '../terminal/greeting.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'
import { type AgentsFolder, workerProject } from './worker-project.ts'
import { startWrangler } from './wrangler.ts'

export interface CloudflareDevOptions {
  readonly port: string
  readonly host: string
  readonly data: string
  readonly agents: AgentsFolder
  readonly env: NodeJS.ProcessEnv
  readonly out: CliOutput
}

export const devCloudflare = async ({ port, host, data, env, out, agents }: CloudflareDevOptions): Promise<number> => {
  const interrupted = listenForInterrupt()
  const { config, problems } = await workerProject(data, agents)
  for (const problem of problems) out.line(`left out: ${problem}`)
  const place = ['--port', port, '--ip', host, '--persist-to', join(data, 'cloudflare')]
  const quiet = ['--log-level', 'warn', '--show-interactive-dev-session=false']
  const child = startWrangler(
    ['dev', '--config', config, ...place, ...quiet],
    // Tokens and settings come from the environment, like on Node.
    { ...env, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true' },
    'inherit',
  )
  const ended = once(child, 'exit')
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const isReady = await Promise.race([
    waitUntilHealthy(url),
    ended.then(() => false),
    interrupted.interrupted.then(() => false),
  ])
  if (!isReady && !interrupted.signal.aborted) {
    child.kill()
    throw new ExitError(EXIT_CODES.failed, 'The Worker could not be started; wrangler says above why.')
  }
  if (isReady) out.line(readyMessage(url, authorizationHint(env)))
  // A new file is not in the bundle yet. Wrangler itself watches the files in the bundle.
  const watcher = watchAgents('.', () => void workerProject(data, agents), agents)
  await Promise.race([interrupted.interrupted, ended])
  watcher.close()
  child.kill('SIGTERM')
  await ended
  return interrupted.signal.aborted ? EXIT_CODES.ok : EXIT_CODES.failed
}

const waitUntilHealthy = async (url: string): Promise<boolean> => {
  for (const until = Date.now() + WORKER_READY_MS; Date.now() < until; await sleep(100)) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.ok) return true
  }
  return false
}
