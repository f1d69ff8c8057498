// Bridle on Node: one process, one data folder, one port. Wiring and nothing else.
import { createHash } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { keyText } from '../kernel/event.ts'
import { Host } from '../kernel/host.ts'
import type { Clock, Digest } from '../kernel/ports.ts'
import type { Runner } from '../kernel/runner.ts'
import { scriptedRunner } from '../runners/scripted.ts'
import { openSqlite } from '../stores/folder.ts'
import { fabric } from '../surfaces/fabric/routes.ts'
import { createApp } from '../surfaces/http/app.ts'
import { isLoopback } from '../surfaces/http/guard.ts'

export interface ServerOptions {
  /** Default 4317; 0 = any free one. */
  readonly port?: number
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string
  /** The data folder; default `.bridle`. */
  readonly data?: string
  readonly authToken?: string
  /** Web pages of these origins may ask too; loopback ones always may. */
  readonly allowedOrigins?: readonly string[]
  /** At most one token event per this many ms; 0 = every token. */
  readonly tokenPaceMs?: number
  readonly heartbeatMs?: number
  /** Where faults are told; default standard error. */
  readonly log?: (line: string) => void
}

/** A running server. What `npm start` runs. */
export class HarnessServer {
  readonly url: string
  readonly #close: () => Promise<void>

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.#close = close
  }

  /** Resolves when it listens and has taken up what the last process left. */
  static async start(options: ServerOptions = {}): Promise<HarnessServer> {
    const { port = 4317, host: hostname = '127.0.0.1', data = '.bridle', authToken } = options
    if (authToken === undefined && !isLoopback(hostname)) {
      throw new Error(
        `Listening on ${hostname} without a token would let anybody run the agents. Set FABRIC_HARNESS_API_TOKEN.`,
      )
    }
    const log = options.log ?? ((line) => console.error(line))
    const store = await openSqlite(data)
    const runners = new Map<string, Runner>([['scripted', scriptedRunner({ clock, digest })]])
    const host = new Host({
      log: store.log,
      directory: store.directory,
      clock,
      digest,
      runner: (agent) => runners.get(agent) ?? null,
      ...(options.tokenPaceMs !== undefined && { tokenPaceMs: options.tokenPaceMs }),
      onFault: (key, cause) =>
        log(`session ${keyText(key)} stopped: ${cause instanceof Error ? cause.message : String(cause)}`),
    })
    const app = createApp(
      {
        host,
        directory: store.directory,
        agents: new Set(runners.keys()),
        ...(authToken !== undefined && { token: authToken }),
        ...(options.allowedOrigins && { allowedOrigins: options.allowedOrigins }),
        ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
      },
      fabric,
    )
    const server = createAdaptorServer({ fetch: app.fetch }) as Server
    const close = async () => {
      server.close()
      await host.stop()
      server.closeAllConnections()
      await store.close()
    }
    try {
      await listen(server, port, hostname)
      await host.start()
    } catch (error) {
      await close()
      throw error
    }
    const at = server.address() as AddressInfo
    return new HarnessServer(`http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`, close)
  }

  /** Tells watchers to come back, lets go of runs, and gives the data folder free. */
  close(): Promise<void> {
    return this.#close()
  }
}

/** The same, by the name the Fabric document uses. */
export const startDevServer = (options?: ServerOptions): Promise<HarnessServer> => HarnessServer.start(options)

const listen = (server: Server, port: number, hostname: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')
