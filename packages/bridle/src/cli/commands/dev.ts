// `bridle dev` is `start` that also reloads changed agents. Runs that have started keep the definition they began with.

import { join } from 'node:path'
import type { ServerOptions } from '../../targets/node/index.ts'
import { type Logger, standardLogger } from '../../targets/node/logger.ts'
import { defineCommand, EXIT_CODES, ExitError } from '../command.ts'
import { commandName } from '../command-name.ts'
import { agentsSetting } from '../config/agents-folder.ts'
import { readConfigFile } from '../config/config-file.ts'
import { ignoredFileNotes } from '../config/ignored-files.ts'
import { serverSettings } from '../config/settings.ts'
import { STACK_LINES, STOP_GRACE_MS } from '../limits.ts'
import { devLines } from '../terminal/dev-lines.ts'
import { startMessage } from '../terminal/greeting.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import { serverOptions, startOwnServer } from './start.ts'

export const dev = defineCommand({
  options: {
    target: { type: 'string', value: 'TARGET', help: 'node (default) or cloudflare' },
    ...serverOptions,
  },
  notes: `A changed file in agents/ serves the runs that start afterwards, at the next request.
So does a change in a file of the project that an agent imports. For one in bridle.config.ts or in a package that is loaded
already, start again: sessions survive it.`,
  run: async ({ flags, env, out }) => {
    const { target = 'node' } = flags
    if (target === 'cloudflare') {
      if (flags.token)
        throw new ExitError(
          EXIT_CODES.usage,
          '--token is for the target node; here set FABRIC_HARNESS_API_TOKEN instead.',
        )
      if (flags.store !== undefined)
        throw new ExitError(EXIT_CODES.usage, '--store is for the target node; an object keeps its own sessions.')
      const { port = env.PORT ?? '8787', host = '127.0.0.1', data = env.BRIDLE_DATA ?? '.bridle' } = flags
      // Loaded only now: the target node does not need it.
      const { devCloudflare } = await import('../cloudflare/dev-cloudflare.ts')
      return devCloudflare({ port, host, data, env, out, agents: agentsSetting(flags, env, await readConfigFile()) })
    }
    if (target !== 'node')
      throw new ExitError(EXIT_CODES.usage, `There is no target "${target}"; node and cloudflare are.`)
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    // An agent's own lines are often below many of a library.
    Error.stackTraceLimit = STACK_LINES
    const { projectModules } = await import('../../targets/agents/project-modules.ts')
    const { root } = projectModules(settings.agentsRoot || '.')
    const lines = devLines(out, { root, command: commandName(env) })
    let isReady = false
    const server = await startOwnServer({
      ...settings,
      watchAgents: true,
      // The message of a ready server names the agents; afterwards each change has a line, and a broken file its frame.
      onAgentFiles: (changes) => lines.files(changes.filter(({ frame }) => isReady || frame !== undefined)),
      // A run that failed has a line of its own.
      log: settings.log ?? withoutFailedRuns(env),
      onRun: lines.run,
      onAgentFailure: lines.failure,
    })
    isReady = true
    out.line(await startMessage(server, settings, env, out.width))
    for (const line of ignoredFileNotes()) out.line(line)
    out.line(`${watchedFolder(settings)} is watched. Ctrl+C ends it.`)
    await interrupted.interrupted
    await server.close({ graceMs: STOP_GRACE_MS })
    return EXIT_CODES.ok
  },
})

const withoutFailedRuns = (env: NodeJS.ProcessEnv): Logger => {
  const log = standardLogger(env, Date.now)
  return (level, message, fields) => {
    if (message === 'request' && fields?.route === '/agents/:name/:id' && fields.status === 500) return
    log(level, message, fields)
  }
}

const watchedFolder = ({ agents, agentsRoot }: ServerOptions): string =>
  `${join(agentsRoot || '.', typeof agents === 'string' ? agents : 'agents')}/`
