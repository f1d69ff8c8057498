// A server for a command: the one that runs, else one in this process that ends with the command.
import { randomBytes } from 'node:crypto'
import { FabricError } from '../../client/fabric/error.ts'
import type { FabricClient, OperatorClient } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { startServer } from '../commands/start.ts'
import {
  createClient,
  isLocalUrl,
  type ServerAddress,
  serverAddress,
  serverSettings,
  serverUrl,
} from '../config/settings.ts'
import type { CliOutput } from '../terminal/output.ts'

export interface ServerConnection {
  readonly fabric: OperatorClient
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
  const url = serverUrl(flags, env)
  const found = await serverAddress(flags, env)
  const fabric = await createClient(flags, env, found)
  if (await isBridleServer(fabric)) return { fabric, address: found, ownData: null, close: async () => {} }
  // A server on another machine cannot be started from here.
  if (!isLocalUrl(url)) throw new ExitError(EXIT_CODES.failed, `No Bridle answers at ${url}.`)

  const settings = await serverSettings(flags, env)
  // A random token: no other program may call this server, least of all an engine that it runs.
  const ownerToken = randomBytes(32).toString('base64url')
  const server = await startServer({ ...settings, ownerToken, port: 0, host: '127.0.0.1' }).catch(
    (error: { code?: unknown }) => {
      if (error.code !== 'refused' || !(error instanceof Error)) throw error
      throw new ExitError(
        EXIT_CODES.failed,
        `${error.message}, but no Bridle answers at ${url}; name the server with --url.`,
      )
    },
  )
  out.note(`No Bridle answers at ${url}; this command starts a server, with the data in ${settings.data}`)
  const address = { url: server.url, authToken: ownerToken }
  return {
    fabric: await createClient(flags, env, address),
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
      throw new ExitError(EXIT_CODES.failed, `What answers at ${fabric.url} is not Bridle.`)
    },
    (error: unknown) => {
      if (error instanceof FabricError && error.status === 0) return false
      throw new ExitError(EXIT_CODES.failed, `What answers at ${fabric.url} is not Bridle.`)
    },
  )
