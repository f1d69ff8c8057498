// `bridle start` serves until a signal stops it.

import type { HarnessServer } from '../../targets/node/index.ts'
import { agentsOptions, dataOptions, defineCommand, EXIT_CODES, ExitError } from '../command.ts'
import { ignoredFileNotes } from '../config/ignored-files.ts'
import { type ServerSettings, serverSettings } from '../config/settings.ts'
import { STOP_GRACE_MS } from '../limits.ts'
import { startMessage } from '../terminal/greeting.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'

export const serverOptions = {
  port: { type: 'string', value: 'PORT', help: 'else PORT, else 4317; 0 takes any free one' },
  host: { type: 'string', value: 'ADDRESS', help: 'else 127.0.0.1; any other needs a token' },
  token: { type: 'boolean', help: 'make a token once, keep it in the data folder, and ask every caller for it' },
  store: {
    type: 'string',
    value: 'STORE',
    help: 'sqlite (default), memory, or a module that opens one; else BRIDLE_STORE',
  },
  ...agentsOptions,
  ...dataOptions,
} as const

export const start = defineCommand({
  options: serverOptions,
  notes: `Settings come from a flag, then the environment (also .env), then bridle.config.ts, then the default.
A token in FABRIC_HARNESS_API_TOKEN is asked of every caller; without one only this machine may ask.
With --token the other verbs find the token by the data folder; in a browser, paste it into the page that asks for it.`,
  run: async ({ flags, env, out }) => {
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    const server = await startOwnServer(settings)
    out.line(await startMessage(server, settings, env, out.width))
    for (const line of ignoredFileNotes()) out.line(line)
    await interrupted.interrupted
    await server.close({ graceMs: STOP_GRACE_MS })
    return EXIT_CODES.ok
  },
})

/** A running server, or an error in one line. */
export const startServer = async (settings: ServerSettings): Promise<HarnessServer> => {
  // Loaded only now: most commands call a server and start none, and should not wait for this import.
  const target = await import('../../targets/node/index.ts')
  const { checkoutCockpit } = await import('../cockpit/checkout-cockpit.ts')
  const cockpit = settings.cockpit ?? checkoutCockpit()
  return target.HarnessServer.start({ ...settings, ...(cockpit !== null && { cockpit }) }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        throw new ExitError(EXIT_CODES.failed, `Port ${settings.port} is in use; choose another with --port.`)
      throw error
    },
  )
}

/** The same for a command that serves: where another process has the data folder, it says what to do. */
export const startOwnServer = (settings: ServerSettings): Promise<HarnessServer> =>
  startServer(settings).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'refused') throw error
    throw new ExitError(
      EXIT_CODES.failed,
      `${error.message}. Stop that one first, or choose another folder with --data.`,
    )
  })
