// The address of a unix socket holds about 100 bytes. On Linux a longer path is reached as `/proc/self/fd/<fd>/<name>`.

import { closeSync, constants, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Below the 108 bytes of Linux and the 104 of macOS, with their closing zero. */
const SOCKET_PATH_BYTES_MAX = 100

export interface SocketAddress {
  /** The path to listen on or to connect to. Valid until `release`. */
  readonly path: string
  /** Call once the socket is connected, or no longer listens. */
  release(): void
}

export const socketAddress = (path: string): SocketAddress => {
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return { path, release: () => {} }
  if (process.platform !== 'linux')
    throw new Error(`The socket's path is longer than ${SOCKET_PATH_BYTES_MAX} bytes. Choose a shorter folder.`)
  let folder: number | null = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    path: `/proc/self/fd/${folder}/${basename(path)}`,
    release: () => {
      if (folder !== null) closeSync(folder)
      folder = null
    },
  }
}
