// A server for a command: the one that runs, else one in this process that ends with the command.
import { randomBytes } from 'node:crypto'
import { FabricError } from '../../client/fabric/error.ts'
import type { FabricClient, OperatorClient } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { startServer } from '../commands/start.ts'
import { NO_ANSWER, notBridleText } from '../config/bridle-fetch.ts'
import { isLocalUrl } from '../config/server-url.ts'
import {
  createClient,
  createWatchingClient,
  type ServerAddress,
  serverAddress,
  serverSettings,
} from '../config/settings.ts'
import { certificateProblem } from '../explain-error.ts'
import type { CliOutput } from '../terminal/output.ts'
import { ownServerLog } from './own-server-log.ts'

export interface ServerConnection {
  readonly fabric: OperatorClient
  /** The same for plain requests of a command that ends: they have a limit, and a line that says what is waited for. */
  readonly plain: OperatorClient
  /** Where the server is, and its token: for a socket. */
  readonly address: Pick<ServerAddress, 'url' | 'authToken'>
  /** The data folder of a server that lives in this process and ends with it; null = it lives elsewhere. */
  readonly ownData: string | null
  readonly close: () => Promise<void>
}

export const connectOrStart = async (
  flags: {
    readonly url?: string
    readonly tenant?: string
    readonly data?: string
    readonly agents?: string
  },
  env: NodeJS.ProcessEnv,
  out: CliOutput,
): Promise<ServerConnection> => {
  const found = await serverAddress(flags, env)
  const { url } = found
  const plain = await createClient(flags, env, found)
  if (await isBridleServer(plain))
    return {
      fabric: await createWatchingClient(flags, env, found),
      plain,
      address: found,
      ownData: null,
      close: async () => {},
    }
  // A server on another machine cannot be started from here.
  if (!isLocalUrl(url)) throw new ExitError(EXIT_CODES.failed, `No Bridle answers at ${url}.`)

  const settings = await serverSettings(flags, env)
  // A random token: no other program may call this server, least of all an engine that it runs.
  const ownerToken = randomBytes(32).toString('base64url')
  const log = settings.log ?? ownServerLog(env)
  const server = await startServer({ ...settings, log, ownerToken, port: 0, host: '127.0.0.1' }).catch(
    (error: { code?: unknown }) => {
      if (error.code !== 'in_use' || !(error instanceof Error)) throw error
      throw new ExitError(
        EXIT_CODES.failed,
        `${error.message} No Bridle answers at ${url}; --url names the server of that process.`,
      )
    },
  )
  out.note(`No Bridle answers at ${url}; this command starts a server, with the data in ${settings.data}`)
  const address = { url: server.url, authToken: ownerToken }
  return {
    fabric: await createWatchingClient(flags, env, address),
    plain: await createClient(flags, env, address),
    address,
    ownData: settings.data,
    close: () => server.close(),
  }
}

/** Throws when something answers that is not Bridle. */
export const isBridleServer = (fabric: FabricClient): Promise<boolean> =>
  fabric.health().then(
    ({ ok }) => {
      if (ok === true) return true
      throw new ExitError(EXIT_CODES.failed, notBridleText(fabric.url))
    },
    (error: unknown) => {
      if (certificateProblem(error) !== null) throw error
      if (error instanceof FabricError && error.status === 0) return false
      if (error instanceof FabricError && error.type === NO_ANSWER) throw error
      throw new ExitError(EXIT_CODES.failed, notBridleText(fabric.url))
    },
  )
