// A server is a harness that listens: one process, one data folder, one port.

import { createServer } from 'node:http'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { isLoopback } from '@bridle/surfaces/http/access/authenticate'
import { type ExposurePolicy, exposureReport, isExposed } from '@bridle/surfaces/http/access/exposure'
import { ServerFault } from '@bridle/system/server-fault'
import { optionProblem } from '../option-problem.ts'
import { optionsOn } from '../settings.ts'
import { publishAddress } from './credentials/local-token.ts'
import { limitConnections } from './http/connection-limits.ts'
import { addProbeHost, inTurn, listenAt, OfferingRequest, requestTimeouts } from './http/listening.ts'
import { answerParserErrors } from './http/parser-errors.ts'
import { nodeListener } from './node-listener.ts'
import { isOpenServer, type OpenHarness, openHarness } from './open-harness.ts'
import type { ServerOptions } from './server-options.ts'

export type { AgentFailure } from '@bridle/agents/run-ports'
export type { Directory } from '@bridle/kernel/ports/directory'
export type { Lease, Log, LogAppend } from '@bridle/kernel/ports/log'
export { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
export type { OpenStore, StoreContext, StoreOpener } from '@bridle/stores/open-store'
export type { Scope, SignedInUser } from '@bridle/surfaces/http/access/authenticate'
export type { FileServer } from '@bridle/surfaces/http/router/pages'
export type { AgentFileChange } from '../agents/file-changes.ts'
export type { RunUpdate } from '../agents/run-updates.ts'
export type { ModelProvider, ModelProviders } from '../models/model-source.ts'
export { createHarness, type EmbeddedHarness, type EmbeddedHarnessOptions } from './create-harness.ts'
export type { ServerOptions } from './server-options.ts'

/** Agents of a server. `needs` says why one cannot run. */
export type ServedAgents = ReadonlyMap<
  string,
  Pick<AgentInfo, 'name' | 'needs' | 'engine' | 'isDefault' | 'inputSchema'>
>

type ServerClose = (graceMs?: number, onWait?: (runs: number) => void) => Promise<void>

/** A running server. */
export class HarnessServer {
  /** URL of the server. */
  readonly url: string
  readonly #close: ServerClose
  readonly #exposure: ExposurePolicy
  /** Current agents by name. */
  readonly agents: ServedAgents
  /** True if a web app is served at `/`. */
  readonly hasCockpit: boolean

  private constructor(url: string, { agents, hasCockpit, exposure }: OpenHarness, close: ServerClose) {
    this.url = url
    this.agents = agents
    this.hasCockpit = hasCockpit
    this.#close = close
    this.#exposure = exposure
  }

  /** Starts a server. Resolves when it listens and has resumed the previous process's work. */
  static async start(options: ServerOptions = {}): Promise<HarnessServer> {
    const { port = 4317, host: hostname = '127.0.0.1', data = '.bridle', keepToken = false } = options
    const problem = optionProblem(options, optionsOn('node'))
    if (problem !== null) throw new ServerFault('option_invalid', `HarnessServer.start: ${problem}`)
    if (isOpenServer(options) && !isLoopback(hostname)) {
      throw new ServerFault(
        'token_required',
        `Listening on ${hostname} without a token would let anybody run the agents. Set FABRIC_HARNESS_API_TOKEN, or start with --token.`,
      )
    }
    const harness = await openHarness(options, { hostname, basePath: '' })
    const listener = nodeListener(harness)
    const server = createServer(
      { ...requestTimeouts(options), IncomingMessage: OfferingRequest },
      (incoming, outgoing) => {
        addProbeHost(incoming)
        inTurn(incoming, outgoing, () => void listener(incoming, outgoing))
      },
    )
    answerParserErrors(server)
    limitConnections(server, options)
    server.on('upgrade', harness.sockets.upgrade)
    const close: ServerClose = async (graceMs = 0, onWait) => {
      await harness.drain(graceMs, onWait)
      server.close()
      await harness.leave()
      server.closeAllConnections()
      await harness.release()
    }
    let url: string
    try {
      url = await listenAt(server, port, hostname)
      await harness.start()
    } catch (error) {
      server.close()
      await harness.abandon()
      server.closeAllConnections()
      throw error
    }
    // A server with an owner token belongs to a single command, so it must not be found by others.
    if (options.ownerToken === undefined) publishAddress(data, url, { asksToken: keepToken })
    return new HarnessServer(url, harness, close)
  }

  /** In production: which agents are exposed, and how to expose others. Null if all are exposed. */
  get exposureNote(): string | null {
    return exposureReport(this.#exposure)
  }

  /** An agent to try: scripted, or the first exposed one. Null if none is exposed. */
  get openAgent(): string | null {
    const open = this.openAgents
    return open.find((name) => name === 'scripted') ?? open[0] ?? null
  }

  /** Agents that callers may run: all, or in production the exposed ones. */
  get openAgents(): readonly string[] {
    return [...this.#exposure.agents.keys()].filter((name) => isExposed(this.#exposure, name))
  }

  /**
   * Refuses new work, lets runs finish within `graceMs`, asks clients to reconnect, and releases the data folder. `onWait`
   * receives the number of runs it waits for, if any.
   */
  close({ graceMs = 0, onWait }: { graceMs?: number; onWait?: (runs: number) => void } = {}): Promise<void> {
    return this.#close(graceMs, onWait)
  }
}

/** Starts a server, under the Fabric document's name. */
export const startDevServer = (options?: ServerOptions): Promise<HarnessServer> => HarnessServer.start(options)
