// Connections that break: commands and readers go through a proxy that cuts them, from the beginning of the round.
import { setTimeout as sleep } from 'node:timers/promises'
import { cuttingProxy } from '@bridle/client/socket/cutting-proxy.suite'
import type { Fault } from './faults.ts'

/** Some connections pass a handshake and several events, some not even the request. */
const CUT_BYTES_MAX = 5_000

let proxy: Awaited<ReturnType<typeof cuttingProxy>> | null = null

export const cutConnections: Fault = {
  name: 'cut connections',
  what: 'A proxy cuts every connection after some bytes, in the middle of a frame and in both directions.',
  begin: async (world) => {
    proxy = await cuttingProxy(world.server.url)
    proxy.cutAfter(() => world.chance.int(1, CUT_BYTES_MAX))
    world.front = proxy.url
  },
  strike: async (world) => {
    await sleep(world.chance.int(100, 300))
    proxy?.cutAfter(null)
    proxy?.cutAll()
    proxy?.close()
    world.front = null
  },
}
