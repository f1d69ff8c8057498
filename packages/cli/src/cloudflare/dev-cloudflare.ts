// Runs the Worker in the real runtime on this machine, with its objects in the data folder.

import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { formatHost } from '@bridle/runners/network/destination'
import { fileChanges } from '@bridle/server/agents/file-changes'
import { watchAgents } from '@bridle/server/agents/folder'
import { projectModules } from '@bridle/server/agents/project-modules'
import { EXIT_CODES, failure } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { authorizationHint, type ReadyHint, readyMessage, urlFlag } from '../config/greeting.ts'
import { portProblem } from '../config/port-owner.ts'
import { tokenFromEnv } from '../config/settings.ts'
import { sharedId } from '../session-ids/session-flags.ts'
import { devLines } from '../terminal/dev-lines.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'
import { listenForReports } from './report-listener.ts'
import { type AgentsFolder, workerProject } from './worker-project.ts'
import { findWrangler, startWrangler } from './wrangler.ts'

/** Twice a first build on a slow machine. */
const WORKER_READY_MS = 60_000

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
  const url = `http://${formatHost(host)}:${port}`
  // Another server on this port would answer instead of the Worker and look ready.
  const problem = await portProblem(Number(port), host)
  if (problem !== null) throw failure(problem)
  findWrangler(env)
  out.note('Building the Worker, and starting the Workers runtime: some 10 seconds …')
  const project = await workerProject(data, agents, { isDev: true })
  const { config, problems, agents: own } = project
  const command = commandName(env)
  const client = fabricClient({ url, ...present({ authToken: tokenFromEnv(env)?.token }) })
  const lines = devLines(out, {
    root: projectModules('.').root,
    command,
    addressFlag: () => urlFlag(url),
    agentFlagOf: async (session) => (await sharedId(client, session)).agentFlag,
  })
  const reports = await listenForReports(lines)
  for (const problem of problems) out.line(`left out: ${problem}`)
  const place = ['--port', port, '--ip', host, '--persist-to', join(data, 'cloudflare')]
  const quiet = ['--log-level', 'warn', '--show-interactive-dev-session=false']
  const child = startWrangler(
    ['dev', '--config', config, ...place, ...quiet],
    // As on Node, tokens and settings come from the environment.
    { ...env, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true', BRIDLE_DEV_REPORTS: reports.url },
  )
  for (const stream of [child.stdout, child.stderr]) if (stream) void passOn(stream)
  const ended = once(child, 'exit')
  const isReady = await Promise.race([
    waitUntilHealthy(url),
    ended.then(() => false),
    interrupted.interrupted.then(() => false),
  ])
  if (!isReady && !interrupted.signal.aborted) {
    child.kill()
    reports.close()
    throw failure('The Worker could not be started; wrangler says above why.')
  }
  if (isReady) {
    const agents = await servedAgents(url, own ?? [], env)
    const { hasCockpit } = project
    const agent = agents.find(({ needs }) => needs === null)?.name ?? null
    out.line(
      readyMessage(url, authorizationHint(env), { agents, agent, hasCockpit, command, note: null, width: out.width }),
    )
    out.line(
      own === null ? 'The files of the Worker are watched. Ctrl+C ends it.' : 'agents/ is watched. Ctrl+C ends it.',
    )
  }
  // Wrangler watches bundled files only, so a new file needs a rebuild.
  let { files } = project
  const reload = async () => {
    const next = await workerProject(data, agents, { isDev: true })
    lines.files(fileChanges(files, next.files))
    files = next.files
  }
  const watcher = watchAgents('.', reload, agents)
  await Promise.race([interrupted.interrupted, ended])
  watcher.close()
  child.kill('SIGTERM')
  await ended
  reports.close()
  return interrupted.signal.aborted ? EXIT_CODES.ok : EXIT_CODES.failed
}

const servedAgents = async (
  url: string,
  own: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadyHint['agents']> => {
  const { token } = tokenFromEnv(env) ?? {}
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/ready`, { headers }).catch(() => null)
  const { agents = [] } = ((await answer?.json().catch(() => null)) ?? {}) as {
    agents?: { name: string; available: boolean; needs?: string }[]
  }
  const isOwn = ({ name }: { name: string }) => own.includes(name)
  return [...agents.filter(isOwn), ...agents.filter((each) => !isOwn(each))].map(({ name, available, needs }) => ({
    name,
    needs: available ? null : (needs ?? 'it cannot run here'),
  }))
}

/** Forwards wrangler's output, except false alarms that it repeats after a restart. */
const passOn = async (stream: Readable): Promise<void> => {
  for await (const line of createInterface({ input: stream }))
    if (!line.includes('NOSENTRY')) process.stderr.write(`${line}\n`)
}

const waitUntilHealthy = async (url: string): Promise<boolean> => {
  for (const until = Date.now() + WORKER_READY_MS; Date.now() < until; await sleep(100)) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.ok) return true
  }
  return false
}
