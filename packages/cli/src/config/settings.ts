// Precedence: flag, environment, bridle.config.ts, default.

import { join } from 'node:path'
import { type FabricClient, fabricClient } from '@bridle/client/fabric/http'
import { present } from '@bridle/events/json'
import { UnconfirmedFileError } from '@bridle/server/agents/import-errors'
import { trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import { tokenFile } from '@bridle/server/node/credentials/local-token'
import type { ServerOptions } from '@bridle/server/node/index'
import { storeProblem } from '@bridle/server/node/store-setting'
import { failure, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { shellWord } from '../command/shell-word.ts'
import { createOutput, writeRemark } from '../terminal/output.ts'
import { agentsSetting } from './agents-folder.ts'
import { bridleFetch, type FetchPatience } from './bridle-fetch.ts'
import { readConfigFile } from './config-file.ts'
import { DEFAULT_DATA, dataFolderOf } from './default-data.ts'
import { findLocalServer, isUnserved, serverOfFolder } from './local-server.ts'
import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_URL, isLocalUrl, meantUrl } from './server-url.ts'

export interface ServerFlags {
  readonly port?: string
  readonly host?: string
  readonly data?: string
  readonly store?: string
  readonly agents?: string
  /** Creates a token and stores it in the data folder. */
  readonly token?: boolean
}

export type ServerSettings = ServerOptions & Required<Pick<ServerOptions, 'port' | 'host' | 'data'>>

export const serverSettings = async (
  flags: ServerFlags,
  env: NodeJS.ProcessEnv,
  folder = '.',
): Promise<ServerSettings> => {
  const early = dataFolderOf(flags, folder, env)
  const config = await readConfigFile(folder, early)
  const data = folderOf(flags, env, config)
  // `.env` and the settings file may name another data folder, which then has the digests.
  for (const each of [join(folder, DEFAULT_DATA), early]) checkLoaded(each, data)
  const named = flags.port ?? env.PORT
  const port = named === undefined ? undefined : checkedPort(named)
  const store = flags.store ?? env.BRIDLE_STORE ?? config.store
  const problem = typeof store === 'string' ? storeProblem(store) : null
  if (problem !== null) throw usageError(problem)
  const authToken = tokenFromEnv(env)?.token ?? config.authToken
  return {
    ...config,
    env,
    port: Number(port ?? config.port ?? DEFAULT_PORT),
    host: flags.host ?? config.host ?? DEFAULT_HOST,
    data,
    ...present({ store, authToken, agents: agentsSetting(flags, env, config) }),
    ...(flags.token && { keepToken: true }),
  }
}

const checkLoaded = (early: string, data: string): void => {
  try {
    trustedFiles(data).checkLoaded(trustedFiles(early))
  } catch (error) {
    throw error instanceof UnconfirmedFileError ? failure(error.message) : error
  }
}

const folderOf = (flags: ServerFlags, env: NodeJS.ProcessEnv, config: ServerOptions): string =>
  flags.data ?? env.BRIDLE_DATA ?? config.data ?? DEFAULT_DATA

/** The token, and its variable for messages. The token itself is never printed. */
export const tokenFromEnv = (env: NodeJS.ProcessEnv): { token: string; from: string } | null => {
  for (const from of ['FABRIC_HARNESS_API_TOKEN', 'FH_AUTH_TOKEN']) {
    const token = env[from]
    if (token) return { token, from }
  }
  return null
}

export const namedUrl = (flags: { readonly url?: string }, env: NodeJS.ProcessEnv): string | null => {
  const url = flags.url ?? (env.BRIDLE_URL || null)
  return url === null ? null : checkedUrl(url)
}

export const checkedPort = (text: string): string => {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return text
  throw usageError(`"${text}" is not a port.`)
}

export const checkedUrl = (url: string): string => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw usageError(`"${url}" is not a URL of a server; ${meantUrl(url)} would be one.`)
  return url
}

export interface ClientFlags {
  readonly url?: string
  readonly tenant?: string
  readonly data?: string
  readonly json?: boolean
  readonly text?: boolean
}

/** Flags for a follow-up command to reach the same server, because printed commands must work as they are. */
export const repeatedFlags = ({ url, data, tenant }: ClientFlags): string =>
  Object.entries({ url, data, tenant })
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${shellWord(value)}`]))
    .join('')

export interface ServerAddress {
  readonly url: string
  readonly authToken?: string | undefined
  readonly tokenFrom: string | null
  /** Prints a remark if the responding server is not the data folder's. */
  readonly onAnswer?: () => void
}

export type AskedAddress = Pick<ServerAddress, 'url' | 'authToken' | 'onAnswer'>

/** The named server, else the data folder's, else the one at the configured port. A local token is read from the data folder. */
export const serverAddress = async (flags: ClientFlags, env: NodeJS.ProcessEnv): Promise<ServerAddress> => {
  const named = namedUrl(flags, env)
  const variable = tokenFromEnv(env)
  const known = { authToken: variable?.token, tokenFrom: variable?.from ?? null }
  if (named !== null && (variable || !isLocalUrl(named))) return { url: named, ...known }
  // A broken configuration is reported by the commands that serve.
  const config = await readConfigFile().catch((): ServerOptions => ({}))
  const folder = folderOf(flags, env, config)
  const local = named === null ? serverOfFolder(folder) : findLocalServer(named, folder)
  const url = local?.url ?? named ?? usualUrl(config)
  const isElsewhere = named === null && !local && isUnserved(folder)
  if (isElsewhere) return { url, ...known, onAnswer: remarkOnce(elsewhereText(url, folder, startCommand(flags, env))) }
  return variable || !local?.token ? { url, ...known } : { url, authToken: local.token, tokenFrom: tokenFile(folder) }
}

/** Where `start` without flags listens. Port 0 changes at every start. */
const usualUrl = ({ port }: ServerOptions): string => (port ? `http://${DEFAULT_HOST}:${port}` : DEFAULT_URL)

const elsewhereText = (url: string, folder: string, start: string): string =>
  `No server runs on the data folder ${folder}. This is the one at ${url}, which has another folder and agents of its own. To start one for this folder: ${start}`

export const startCommand = ({ data }: ClientFlags, env: NodeJS.ProcessEnv): string =>
  `${commandName(env)} start --port 4318${repeatedFlags({ data })}`

const remarkOnce = (text: string): (() => void) => {
  let isSaid = false
  return () => {
    if (!isSaid) writeRemark(text)
    isSaid = true
  }
}

/** A client of the configured server. On a terminal it shows when a plain request has to wait. */
export const createClient = async (
  flags: ClientFlags,
  env: NodeJS.ProcessEnv,
  address?: AskedAddress,
  patience: Pick<FetchPatience, 'answerMs'> = {},
): Promise<FabricClient> =>
  clientOf(flags, address ?? (await serverAddress(flags, env)), { out: createOutput(flags), ...patience })

/** A client for commands that draw on the terminal and wait indefinitely. */
export const createWatchingClient = async (
  flags: ClientFlags,
  env: NodeJS.ProcessEnv,
  address?: AskedAddress,
): Promise<FabricClient> => clientOf(flags, address ?? (await serverAddress(flags, env)), null)

const clientOf = (
  { tenant: tenantId }: ClientFlags,
  { url, authToken, onAnswer }: AskedAddress,
  patience: FetchPatience | null,
): FabricClient =>
  fabricClient({ url, fetch: bridleFetch(url, patience, onAnswer), ...present({ authToken, tenantId }) })
