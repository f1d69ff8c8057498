// A proxy that cuts connections wherever it likes, in mid-frame and in either direction.
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export const listening = async (given: Server | HttpServer): Promise<string> => {
  await new Promise<void>((resolve) => given.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(given.address() as AddressInfo).port}`
}

/** Passes bytes on, and cuts each connection after as many, both ways together, as `cutAfter` says. */
export const cuttingProxy = async (target: string) => {
  const { port } = new URL(target)
  const pairs = new Set<[Socket, Socket]>()
  let bytesOf: (() => number) | null = null
  let cuts = 0
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const each of pair) each.destroy()
    }
    let left = bytesOf?.() ?? Number.POSITIVE_INFINITY
    const pass = (from: Socket, to: Socket) =>
      from.on('data', (bytes: Buffer) => {
        if (left < 0) return
        to.write(bytes.subarray(0, left))
        left -= bytes.byteLength
        if (left > 0) return
        left = -1
        cuts += 1
        // Bytes before the cut arrive; then the connection is dead.
        to.end()
        from.destroy()
      })
    pass(far, near)
    pass(near, far)
    for (const each of pair) {
      each.on('error', end)
      each.on('close', end)
    }
  })
  const url = await listening(proxy)
  return {
    url,
    get cuts() {
      return cuts
    },
    cutAfter: (next: (() => number) | null) => {
      bytesOf = next
    },
    cutAll: () => {
      for (const pair of pairs) for (const each of pair) each.destroy()
    },
    close: () => {
      proxy.close()
      for (const pair of pairs) for (const each of pair) each.destroy()
    },
  }
}
