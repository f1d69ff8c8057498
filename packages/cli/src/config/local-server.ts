// The user's server on this machine, with its token. The token is sent only to the address that the data folder's owner
// published while a live process holds the folder's lock.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalServer, readLocalServer } from '@bridle/server/node/credentials/local-token'
import { inspectDataFolder } from './data-folder.ts'

export const findLocalServer = (url: string, folder: string): LocalServer | null => {
  const published = readLocalServer(folder)
  const address = published && matchingServerUrl(url, published.url)
  // Last and only for a published address, because the check briefly takes the lock.
  if (!address || inspectDataFolder(folder).state !== 'owned') return null
  return { url: address, token: published.token }
}

export const serverOfFolder = (folder: string): LocalServer | null => {
  const published = readLocalServer(folder)
  return published && findLocalServer(reachableUrl(published.url), folder)
}

/** True if the project has data or agents but no server, so a server that responds elsewhere is another project's. */
export const isUnserved = (folder: string): boolean => {
  const { state } = inspectDataFolder(folder)
  return state === 'free' ? existsSync(join(folder, 'lock')) : state === 'absent' && existsSync('agents')
}

/** The URL to use, or null for another server. Replaces `localhost`, which may resolve to another program on the same port. */
export const matchingServerUrl = (requested: string, own: string): string | null => {
  const url = new URL(requested)
  const server = new URL(own)
  if (url.protocol !== 'http:' || url.port !== server.port) return null
  const loopback = WILDCARDS[server.hostname]
  if (url.hostname === 'localhost') url.hostname = loopback ?? server.hostname
  else if (url.hostname !== server.hostname && !(loopback && isLoopbackOf(server.hostname, url.hostname))) return null
  return isLoopback(url.hostname) ? url.href.replace(/\/$/, '') : null
}

const WILDCARDS: { readonly [hostname: string]: string } = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/** The address for local programs: `0.0.0.0` is for listening, and many browsers refuse it. */
export const reachableUrl = (url: string): string => {
  const { hostname } = new URL(url)
  return url.replace(hostname, WILDCARDS[hostname] ?? hostname)
}

const isIpv4 = (hostname: string): boolean => /^127(\.\d{1,3}){3}$/.test(hostname)
const isLoopback = (hostname: string): boolean => isIpv4(hostname) || hostname === '[::1]'
/** `0.0.0.0` does not listen on IPv6; `::` listens on both. */
const isLoopbackOf = (wildcard: string, hostname: string): boolean =>
  wildcard === '[::]' ? isLoopback(hostname) : isIpv4(hostname)
