// The server of this user on this machine, and its token. The token goes to that server and to no other: the address is the one
// that the owner of the data folder wrote there, and a live process still holds the folder's lock.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalServer, readLocalServer } from '@bridle/server/node/credentials/local-token'
import { inspectDataFolder } from './data-folder.ts'

/** The server of this data folder, if it is the one at this URL; null = another server, or none. */
export const findLocalServer = (url: string, folder: string): LocalServer | null => {
  const published = readLocalServer(folder)
  const address = published && matchingServerUrl(url, published.url)
  // Check the lock last, and only for a published address: the check takes the lock for an instant.
  if (!address || inspectDataFolder(folder).state !== 'owned') return null
  return { url: address, token: published.token }
}

/** The server that works on this data folder, where programs of this machine reach it; null = there is none. */
export const serverOfFolder = (folder: string): LocalServer | null => {
  const published = readLocalServer(folder)
  return published && findLocalServer(reachableUrl(published.url), folder)
}

/** The project has data or agents of its own, and no server runs on the data folder: one that answers elsewhere is that of another project. */
export const isUnserved = (folder: string): boolean => {
  const { state } = inspectDataFolder(folder)
  return state === 'free' ? existsSync(join(folder, 'lock')) : state === 'absent' && existsSync('agents')
}

/**
 * The URL to ask; null = another server. `localhost` may lead to an address where another program listens at the same port, so
 * the server's own address replaces it.
 */
export const matchingServerUrl = (requested: string, own: string): string | null => {
  const url = new URL(requested)
  const server = new URL(own)
  if (url.protocol !== 'http:' || url.port !== server.port) return null
  const loopback = WILDCARDS[server.hostname]
  if (url.hostname === 'localhost') url.hostname = loopback ?? server.hostname
  else if (url.hostname !== server.hostname && !(loopback && isLoopbackOf(server.hostname, url.hostname))) return null
  return isLoopback(url.hostname) ? url.href.replace(/\/$/, '') : null
}

/** Addresses that stand for all of a machine, and the loopback one among them. */
const WILDCARDS: { readonly [hostname: string]: string } = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/** The address for programs on this machine: `0.0.0.0` is one to listen at, and many browsers refuse to open it. */
export const reachableUrl = (url: string): string => {
  const { hostname } = new URL(url)
  return url.replace(hostname, WILDCARDS[hostname] ?? hostname)
}

const isIpv4 = (hostname: string): boolean => /^127(\.\d{1,3}){3}$/.test(hostname)
const isLoopback = (hostname: string): boolean => isIpv4(hostname) || hostname === '[::1]'
/** A server on `0.0.0.0` has no IPv6 address; a server on `::` has both. */
const isLoopbackOf = (wildcard: string, hostname: string): boolean =>
  wildcard === '[::]' ? isLoopback(hostname) : isIpv4(hostname)
