// `bridle start` serves until a signal stops it.

import type { HarnessServer } from '../../targets/node/index.ts'
import { durationText } from '../../words/index.ts'
import { defineCommand, failure } from '../command.ts'
import { portInUseText } from '../config/port-owner.ts'
import { type ServerSettings, serverSettings } from '../config/settings.ts'
import { earlyNotes, readyNotes } from '../config/start-notes.ts'
import { STOP_GRACE_MS } from '../limits.ts'
import { serverOptions } from '../setting-flags.ts'
import { startMessage } from '../terminal/greeting.ts'
import { type Interruption, listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

export const start = defineCommand({
  options: serverOptions,
  notes: `Settings come from a flag, then the environment (also .env), then bridle.config.ts, then the default.
A token in FABRIC_HARNESS_API_TOKEN is asked of every caller; without one only this machine may ask.
With --token the other verbs find the token by the data folder; in a browser, paste it into the page that asks for it.`,
  run: async ({ flags, env, out }) => {
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    earlyNotes(env).forEach(out.line)
    const server = await startServer(settings)
    out.line(await startMessage(server, settings, env, out.width))
    readyNotes(server, settings, env).forEach(out.line)
    await interrupted.interrupted
    await stopServer(server, interrupted, out)
  },
})

/** Lets runs at work end in time. Without a line about them the command would seem to hang. */
export const stopServer = (
  server: Pick<HarnessServer, 'close'>,
  { isTerminated }: Pick<Interruption, 'isTerminated'>,
  out: Pick<CliOutput, 'line'>,
): Promise<void> =>
  server.close({
    graceMs: STOP_GRACE_MS,
    onWait: (runs) => {
      const work = runs === 1 ? '1 run is at work and has' : `${runs} runs are at work and have`
      const again = isTerminated() ? '' : ' Ctrl+C again ends at once.'
      out.line(`Stopping; ${work} ${durationText(STOP_GRACE_MS)} to end.${again}`)
    },
  })

/** A running server, or an error in one line. */
export const startServer = async (settings: ServerSettings): Promise<HarnessServer> => {
  // Loaded only now: most commands call a server and start none, and should not wait for this import.
  const target = await import('../../targets/node/index.ts')
  const { checkoutCockpit } = await import('../cockpit/checkout-cockpit.ts')
  const cockpit = settings.cockpit ?? checkoutCockpit()
  return target.HarnessServer.start({ ...settings, ...(cockpit !== null && { cockpit }) }).catch(
    async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      const problem = await portInUseText(settings.port, settings.host)
      throw failure(problem)
    },
  )
}
