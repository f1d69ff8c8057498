// The server for a command: a running one, otherwise one in this process that stops with the command. A server named by
// the user is never replaced.
import { randomBytes } from 'node:crypto'
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import { failure } from '../command/command.ts'
import { NO_ANSWER, notBridleText } from '../config/bridle-fetch.ts'
import {
  type ClientFlags,
  createClient,
  createWatchingClient,
  namedUrl,
  type ServerAddress,
  serverAddress,
  serverSettings,
} from '../config/settings.ts'
import { certificateProblem } from '../errors/explain-error.ts'
import type { CliOutput } from '../terminal/output.ts'
import { startServer } from './own-server.ts'
import { ownServerLog } from './own-server-log.ts'

export interface ServerConnection {
  readonly fabric: FabricClient
  /** For plain requests, with a timeout and a line that shows what is waited for. */
  readonly plain: FabricClient
  readonly address: Pick<ServerAddress, 'url' | 'authToken'>
  /** The data folder of an in-process server. Null if the server is separate. */
  readonly ownData: string | null
  readonly close: () => Promise<void>
}

export const connectOrStart = async (
  flags: Pick<ClientFlags, 'url' | 'tenant' | 'data'> & { readonly agents?: string },
  env: NodeJS.ProcessEnv,
  out: CliOutput,
): Promise<ServerConnection> => {
  const found = await serverAddress(flags, env)
  const { url } = found
  const plain = await createClient(flags, env, found)
  const silence = await silenceOf(plain)
  if (silence === null)
    return {
      fabric: await createWatchingClient(flags, env, found),
      plain,
      address: found,
      ownData: null,
      close: async () => {},
    }
  // Work meant for a named server must not run here, with this machine's files and keys.
  if (namedUrl(flags, env) !== null) throw silence

  const settings = await serverSettings(flags, env)
  // A random token: no other program may call this server, least of all an engine that it runs.
  const ownerToken = randomBytes(32).toString('base64url')
  const log = settings.log ?? ownServerLog(env)
  const server = await startServer({ ...settings, log, ownerToken, port: 0, host: '127.0.0.1' }).catch(
    (error: { code?: unknown }) => {
      if (error.code !== 'in_use' || !(error instanceof Error)) throw error
      throw failure(`${error.message} No Bridle answers at ${url}; --url names the server of that process.`)
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

/** The error if the server is unreachable, or null. Throws if another program responds or Bridle is too slow. */
export const silenceOf = (fabric: FabricClient): Promise<FabricError | null> =>
  fabric.health().then(
    ({ ok }) => {
      if (ok === true) return null
      throw failure(notBridleText(fabric.url))
    },
    (error: unknown) => {
      if (certificateProblem(error) !== null || !(error instanceof FabricError)) throw error
      if (error.status === 0) return error
      throw error.type === NO_ANSWER || error.isRetryable ? error : failure(notBridleText(fabric.url))
    },
  )
