// A port that another program has: the error says whether that program is Bridle.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { formatHost } from '@bridle/runners/network/destination'
import { programAt } from './bridle-fetch.ts'

/** The program at a port that is in use gets this long to say what it is: the error waits for it. */
const PORT_OWNER_MS = 1_000

/** Why a server cannot listen there; null = it can. */
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
