// Settings: a flag, then the environment, then bridle.config.ts, then the default.

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
  /** A token is made and kept in the data folder. */
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
  // `.env` and the settings file may name another data folder, and that one has the digests.
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

/** The token and the variable that holds it; only the name is ever printed. */
export const tokenFromEnv = (env: NodeJS.ProcessEnv): { token: string; from: string } | null => {
  for (const from of ['FABRIC_HARNESS_API_TOKEN', 'FH_AUTH_TOKEN']) {
    const token = env[from]
    if (token) return { token, from }
  }
  return null
}

/** The address that a person has named; null = none. */
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

/** The flags that lead a further command to the same server: a printed command must work as it is. */
export const repeatedFlags = ({ url, data, tenant }: ClientFlags): string =>
  Object.entries({ url, data, tenant })
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${shellWord(value)}`]))
    .join('')

export interface ServerAddress {
  readonly url: string
  readonly authToken?: string | undefined
  /** The variable or file that holds the token; null = there is none. */
  readonly tokenFrom: string | null
  /** Says, when a server answers there, that it is not the one of the data folder. */
  readonly onAnswer?: () => void
}

export type AskedAddress = Pick<ServerAddress, 'url' | 'authToken' | 'onAnswer'>

/**
 * The server that the flags and the environment name, else the one that works on the data folder, else the one at the port of the settings file or 4317. A server
 * of this user keeps its token in its data folder.
 */
export const serverAddress = async (flags: ClientFlags, env: NodeJS.ProcessEnv): Promise<ServerAddress> => {
  const named = namedUrl(flags, env)
  const variable = tokenFromEnv(env)
  const known = { authToken: variable?.token, tokenFrom: variable?.from ?? null }
  if (named !== null && (variable || !isLocalUrl(named))) return { url: named, ...known }
  // A broken configuration is reported by the commands that serve, not here.
  const config = await readConfigFile().catch((): ServerOptions => ({}))
  const folder = folderOf(flags, env, config)
  const local = named === null ? serverOfFolder(folder) : findLocalServer(named, folder)
  const url = local?.url ?? named ?? usualUrl(config)
  const isElsewhere = named === null && !local && isUnserved(folder)
  if (isElsewhere) return { url, ...known, onAnswer: remarkOnce(elsewhereText(url, folder, startCommand(flags, env))) }
  return variable || !local?.token ? { url, ...known } : { url, authToken: local.token, tokenFrom: tokenFile(folder) }
}

/** Where `start` without flags listens. Port 0 is another one at each start. */
const usualUrl = ({ port }: ServerOptions): string => (port ? `http://${DEFAULT_HOST}:${port}` : DEFAULT_URL)

const elsewhereText = (url: string, folder: string, start: string): string =>
  `No server runs on the data folder ${folder}. This is the one at ${url}, which has another folder and agents of its own. To start one for this folder: ${start}`

/** Starts a server of the data folder beside the one that has the usual port. Verbs find it without its address. */
export const startCommand = ({ data }: ClientFlags, env: NodeJS.ProcessEnv): string =>
  `${commandName(env)} start --port 4318${repeatedFlags({ data })}`

const remarkOnce = (text: string): (() => void) => {
  let isSaid = false
  return () => {
    if (!isSaid) writeRemark(text)
    isSaid = true
  }
}

/** A client of the server that the flags and the environment name. On a terminal it says when the server keeps a plain request waiting. */
export const createClient = async (
  flags: ClientFlags,
  env: NodeJS.ProcessEnv,
  address?: AskedAddress,
  patience: Pick<FetchPatience, 'answerMs'> = {},
): Promise<FabricClient> =>
  clientOf(flags, address ?? (await serverAddress(flags, env)), { out: createOutput(flags), ...patience })

/** A client for a command that draws on the terminal itself, and waits as long as the person does. */
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
