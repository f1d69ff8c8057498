import type { HarnessServer } from '@bridle/server/node/index'
import { durationText } from '@bridle/words/index'
import { failure } from '../command/command.ts'
import { portInUseText } from '../config/port-owner.ts'
import type { ServerSettings } from '../config/settings.ts'
import type { Interruption } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

/** Grace period for runs after Ctrl+C. A second signal skips it. */
const STOP_GRACE_MS = 5_000

/** Lets runs finish within the grace period, and says so, because the command would seem to hang. */
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

export const startServer = async (settings: ServerSettings): Promise<HarnessServer> => {
  // Imported lazily: most commands start no server and should not wait for it.
  const target = await import('@bridle/server/node/index')
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
