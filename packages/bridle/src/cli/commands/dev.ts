// `bridle dev` is `start` that also reloads changed agents. Runs that have started keep the definition they began with.

import { defineCommand, EXIT_CODES, ExitError } from '../command.ts'
import { ignoredFileNotes } from '../config/ignored-files.ts'
import { serverSettings } from '../config/settings.ts'
import { STOP_GRACE_MS } from '../limits.ts'
import { startMessage } from '../terminal/greeting.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import { serverOptions, startServer } from './start.ts'

export const dev = defineCommand({
  options: {
    target: { type: 'string', value: 'TARGET', help: 'node (default) or cloudflare' },
    ...serverOptions,
  },
  notes: `A changed file in agents/ serves the runs that start afterwards, at the next request.
For a change in what an agent imports, or in bridle.config.ts, start again: sessions survive it.`,
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
      return devCloudflare({ port, host, data, env, out })
    }
    if (target !== 'node')
      throw new ExitError(EXIT_CODES.usage, `There is no target "${target}"; node and cloudflare are.`)
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    const server = await startServer({ ...settings, watchAgents: true })
    const { watchAgents } = await import('../../targets/agents/folder.ts')
    const watcher = watchAgents('.', () => out.line('agents/ changed; what starts now runs the new version.'))
    out.line(await startMessage(server, settings, env))
    for (const line of ignoredFileNotes()) out.line(line)
    out.line('agents/ is watched. Ctrl+C ends it.')
    await interrupted.interrupted
    watcher.close()
    await server.close({ graceMs: STOP_GRACE_MS })
    return EXIT_CODES.ok
  },
})
