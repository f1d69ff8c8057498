// A server to ask: the one that runs, else one of our own for as long as it takes.
import { randomBytes } from 'node:crypto'
import { type FabricClient, FabricError } from '../../client/index.ts'
import { EXIT, Stop } from '../command.ts'
import { serve } from '../commands/start.ts'
import { clientOf, isThisMachine, serverSettings, urlOf } from '../config/settings.ts'
import type { Output } from '../terminal/output.ts'

export interface Reached {
  readonly fabric: FabricClient
  /** The data folder of a server that lives in this process and ends with it; null = it lives elsewhere. */
  readonly ownData: string | null
  readonly close: () => Promise<void>
}

export const reach = async (
  flags: { readonly url?: string; readonly tenant?: string; readonly data?: string },
  env: NodeJS.ProcessEnv,
  out: Output,
): Promise<Reached> => {
  const url = urlOf(flags, env)
  const fabric = await clientOf(flags, env)
  if (await isThere(fabric)) return { fabric, ownData: null, close: async () => {} }
  // Elsewhere we cannot stand in for it.
  if (!isThisMachine(url)) throw new Stop(EXIT.failed, `No Bridle answers at ${url}.`)

  const settings = await serverSettings(flags, env)
  // Nobody else is meant to ask this server, an engine that it runs least of all.
  const authToken = settings.authToken ?? randomBytes(32).toString('base64url')
  const server = await serve({ ...settings, authToken, port: 0, host: '127.0.0.1' }).catch(
    (error: { code?: unknown }) => {
      if (error.code !== 'refused' || !(error instanceof Error)) throw error
      throw new Stop(EXIT.failed, `${error.message}, but no Bridle answers at ${url}; say where by --url.`)
    },
  )
  out.note(`No Bridle answers at ${url}; this run has its own, with the data in ${settings.data}`)
  return {
    fabric: await clientOf(flags, env, { url: server.url, authToken }),
    ownData: settings.data,
    close: () => server.close(),
  }
}

/** Throws when something answers that is not Bridle. */
export const isThere = (fabric: FabricClient): Promise<boolean> =>
  fabric.health().then(
    ({ ok }) => {
      if (ok === true) return true
      throw new Stop(EXIT.failed, `What answers at ${fabric.url} is not Bridle.`)
    },
    (error: unknown) => {
      if (error instanceof FabricError && error.status === 0) return false
      throw new Stop(EXIT.failed, `What answers at ${fabric.url} is not Bridle.`)
    },
  )
