import { once } from 'node:events'
import { createServer } from 'node:net'
import { formatHost } from '@bridle/runners/network/destination'
import { programAt } from './bridle-fetch.ts'

/** The error waits for this probe. */
const PORT_OWNER_MS = 1_000

export const portProblem = async (port: number, host: string): Promise<string | null> => {
  const trial = createServer().listen(port, host)
  try {
    await once(trial, 'listening')
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return portInUseText(port, host)
    return (error as Error).message
  } finally {
    trial.close()
  }
}

export const portInUseText = async (port: number, host: string): Promise<string> =>
  (await programAt(`http://${formatHost(host)}:${port}`, PORT_OWNER_MS)) === 'bridle'
    ? `Port ${port} is in use by another Bridle. Stop that one first, or choose another port with --port.`
    : `Port ${port} is in use; choose another with --port.`
