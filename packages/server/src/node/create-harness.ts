// A harness inside an app that has routes, a login and a port of its own.
import { Buffer } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type AgentDefinition, isAgent, nonAgentProblem } from '@bridle/agents/agent'
import { isLoopback } from '@bridle/surfaces/http/access/authenticate'
import { plainAddress } from '@bridle/surfaces/http/access/caller-network'
import { jsonText } from '@bridle/surfaces/http/answers/json-response'
import { Denial, toResponse } from '@bridle/surfaces/http/denials/denial'
import { ServerFault } from '@bridle/system/server-fault'
import { type OptionParts, optionProblem } from '../option-problem.ts'
import { optionsOn } from '../settings.ts'
import { belowBasePath, parseBasePath, withoutBasePath } from './base-path.ts'
import { builtCockpit, type FileServer } from './http/app-files.ts'
import { closeAfterUnreadBody } from './http/unread-body.ts'
import { nodeListener } from './node-listener.ts'
import { type NodeBindings, openHarness } from './open-harness.ts'
import type { ServerOptions } from './server-options.ts'
import { sendUpgradeRefusal } from './sockets/upgrade-request.ts'

/** Settings of a port, which an app has itself, and settings that are named or meant differently here. */
const OWN_SETTINGS = [
  ...(['port', 'host', 'headersMs', 'keepAliveMs', 'maxConnections', 'maxConnectionsPerAddress'] as const),
  ...(['authToken', 'authTokenEnv', 'keepToken', 'cockpit'] as const),
] as const
type OwnSettings = (typeof OWN_SETTINGS)[number]

/** Settings of `createHarness`. Every one has a default. */
export interface EmbeddedHarnessOptions extends Omit<ServerOptions, OwnSettings> {
  /** A caller that sends this token may do everything. Without `token`, `tokens` and `authenticate`, only this machine is let in. */
  readonly token?: string
  /** The path below which the app serves the harness, such as `/bridle`; default: none. */
  readonly basePath?: string
  /** Whether the cockpit is served at `basePath`: true, or the folder of its files, or a function. Default: false. */
  readonly cockpit?: boolean | string | FileServer
  /** The folder that holds `agents/`; default: no agents in files. */
  readonly agentsRoot?: string | false
  /** The names of the agents of the package to serve, such as `claude` or `scripted`; default: none. */
  readonly builtInAgents?: readonly string[]
}

/** A harness without a port, for an app to serve. */
export interface EmbeddedHarness {
  /**
   * Answers a request below `basePath`. On Node, pass the two ends of the request, as Hono has them in `c.env`: limits count the
   * caller's address, and without a credential only callers of this machine are let in.
   */
  fetch(request: Request, bindings?: unknown): Promise<Response>
  /** The same for `node:http` and Express. A request elsewhere goes to `next`; without one, the answer is 404. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, next?: (error?: unknown) => void): Promise<void>
  /** Answers the handshake of a WebSocket below `basePath`. False = the path lies elsewhere, and the socket is untouched. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Takes no new work, lets runs end within `graceMs`, asks clients to reconnect, and releases the data folder. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** Resolves when the harness has continued the work that the last process left. */
export const createHarness = async (options: EmbeddedHarnessOptions = {}): Promise<EmbeddedHarness> => {
  const {
    token,
    basePath: path,
    cockpit = false,
    agents = [],
    builtInAgents = [],
    agentsRoot = false,
    ...rest
  } = options
  if (typeof agents !== 'string' && !Array.isArray(agents))
    throw new ServerFault('agent_invalid', 'agents is not a list. Write: agents: [agent({ name, run })].')
  const problem = optionProblem(options, embeddedOptions)
  if (problem !== null) throw new ServerFault('option_invalid', `createHarness: ${problem}`)
  const basePath = parseBasePath(path)
  const named = [...(typeof agents === 'string' ? [] : agents.map(nameOf)), ...builtInAgents]
  const harness = await openHarness(
    {
      ...rest,
      ...{ agents, agentsRoot, builtInAgents },
      ...(token !== undefined && { authToken: token }),
      ...(cockpit !== true ? { cockpit } : { cockpit: builtCockpit() }),
      // An agent that the program names is meant to be run by callers.
      expose: [...named, ...(options.expose ?? [])],
      ...(options.defaultAgent === undefined && named[0] !== undefined && { defaultAgent: named[0] }),
    },
    { hostname: null, basePath },
  )
  try {
    await harness.start()
  } catch (error) {
    await harness.abandon()
    throw error
  }

  const answer = async (request: Request, bindings: NodeBindings): Promise<Response> => {
    const own = withoutBasePath(request, basePath)
    if (!own) return toResponse(new Denial('not_found', `This harness is served below ${basePath}.`))
    const denial = harness.isOpen ? refuseStranger(bindings.incoming) : null
    return denial ? toResponse(denial) : harness.app.fetch(own, bindings)
  }
  const listener = nodeListener(harness, answer)
  let closing: Promise<void> | null = null

  return {
    fetch: async (request, env) => {
      const bindings = bindingsOf(env)
      const response = await answer(request, bindings)
      if (bindings.incoming && bindings.outgoing) closeAfterUnreadBody(bindings.incoming, bindings.outgoing)
      return response
    },
    handle: async (incoming, outgoing, next) => {
      // Express removes the path of a mount from `url`, and keeps the whole.
      const { originalUrl, url = '/' } = incoming as { originalUrl?: string; url?: string }
      const whole = basePath === '' ? url : (originalUrl ?? url)
      if (belowBasePath(whole, basePath) === null && next) return next()
      incoming.url = whole
      if (!restoreBody(incoming)) return next?.(new Error(UNKNOWN_BODY)) ?? sendUnknownBody(outgoing)
      await listener(incoming, outgoing)
    },
    upgrade: (incoming, socket, head) => {
      const url = belowBasePath(incoming.url ?? '', basePath)
      if (url === null) return false
      const denial = harness.isOpen ? refuseStranger(incoming) : null
      void (denial
        ? sendUpgradeRefusal(socket, toResponse(denial))
        : harness.sockets.upgrade(incoming, socket, head, url))
      return true
    },
    close: ({ graceMs = 0 } = {}) => {
      closing ??= harness.drain(graceMs).then(harness.leave).then(harness.release)
      return closing
    },
  }
}

const ownNames: readonly string[] = OWN_SETTINGS
const embeddedOptions: OptionParts = {
  ...Object.fromEntries(Object.entries(optionsOn('node')).filter(([name]) => !ownNames.includes(name))),
  ...({ token: 'any', basePath: 'any', cockpit: 'any' } as const),
}

const UNKNOWN_BODY = 'The body was read before Bridle could read it. Mount Bridle before the parser of bodies.'

const sendUnknownBody = (outgoing: ServerResponse): void => {
  outgoing.writeHead(500, { 'content-type': 'application/json' })
  outgoing.end(jsonText({ error: { type: 'internal_error', message: UNKNOWN_BODY } }))
}

/** The two ends of a request, from whatever the app's framework calls its environment. */
const bindingsOf = (env: unknown): NodeBindings => {
  const { incoming, outgoing } = (env ?? {}) as NodeBindings
  return incoming?.socket ? { incoming, ...(outgoing && { outgoing }) } : {}
}

/** Nobody here knows on which addresses the app listens: without a credential, the other end must be this machine. */
const refuseStranger = (incoming: IncomingMessage | undefined): Denial | null => {
  const address = plainAddress(incoming?.socket.remoteAddress ?? '')
  if (isLoopback(address)) return null
  return new Denial(
    'forbidden',
    incoming
      ? 'Without a credential only this machine may ask. Give createHarness a token, or authenticate.'
      : 'Nobody knows where this request comes from. Pass the bindings of Node to fetch, or give createHarness a token, or authenticate.',
  )
}

/** Checked before the first name is read: a file without the export that it should have gives undefined. */
const nameOf = (each: AgentDefinition): string => {
  if (!isAgent(each)) throw new ServerFault('agent_invalid', nonAgentProblem(each, 'options'))
  return each.name
}

interface ParsedRequest extends IncomingMessage {
  body?: unknown
  /** The bytes that the listener takes for the body. */
  rawBody?: Buffer
}

/** Restores the bytes of a body that was parsed. False: they are unknown. */
const restoreBody = (incoming: ParsedRequest): boolean => {
  const { body, headers, method = 'GET' } = incoming
  if (!incoming.readableDidRead || incoming.rawBody || method === 'GET' || method === 'HEAD') return true
  if (headers['content-length'] === '0' || (headers['content-length'] ?? headers['transfer-encoding']) === undefined)
    return true
  const bytes = bytesOf(body, headers['content-type'])
  if (bytes === null) return false
  incoming.rawBody = bytes
  return true
}

const bytesOf = (body: unknown, type = ''): Buffer | null => {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  return body !== undefined && /\bjson\b/i.test(type) ? Buffer.from(JSON.stringify(body)) : null
}
