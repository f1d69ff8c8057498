// `bridle dev`: like start, and a changed agent serves the runs that start afterwards. Runs that are under way keep the
// agent they began with.

import { EXIT, Stop, verb } from '../command.ts'
import { ignoredFiles } from '../config/ignored-files.ts'
import { serverSettings } from '../config/settings.ts'
import { greeting } from '../terminal/greeting.ts'
import { interruption } from '../terminal/interruption.ts'
import { GRACE_MS, serve, serverOptions } from './start.ts'

export const dev = verb({
  summary: 'serve, and take up every change in agents/',
  takes: [],
  options: {
    target: { type: 'string', value: 'TARGET', help: 'node (default) or cloudflare' },
    ...serverOptions,
  },
  notes: `A changed file in agents/ serves the runs that start afterwards, at the next request.
For a change in what an agent imports, or in bridle.config.ts, start again: sessions survive it.`,
  act: async ({ flags, env, out }) => {
    const { target = 'node' } = flags
    if (target === 'cloudflare') {
      if (flags.token)
        throw new Stop(EXIT.usage, '--token is for the target node; here set FABRIC_HARNESS_API_TOKEN instead.')
      const { port = env.PORT ?? '8787', host = '127.0.0.1', data = env.BRIDLE_DATA ?? '.bridle' } = flags
      // Loaded only now: the other target needs nothing of it.
      const { devCloudflare } = await import('../cloudflare/dev-cloudflare.ts')
      return devCloudflare({ port, host, data, env, out })
    }
    if (target !== 'node') throw new Stop(EXIT.usage, `There is no target "${target}"; node and cloudflare are.`)
    const interrupted = interruption()
    const settings = await serverSettings(flags, env)
    const server = await serve({ ...settings, watchAgents: true })
    const { watchAgents } = await import('../../targets/agents/folder.ts')
    const watcher = watchAgents('.', () => out.line('agents/ changed; what starts now runs the new version.'))
    out.line(await greeting(server, settings, env))
    for (const line of ignoredFiles()) out.line(line)
    out.line('agents/ is watched. Ctrl+C ends it.')
    await interrupted.happened
    watcher.close()
    await server.close({ graceMs: GRACE_MS })
    return EXIT.ok
  },
})
