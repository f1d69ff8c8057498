// A harness inside an app that has its own routes, login and port.
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

/** Settings that belong to the app's own port, or that differ here. */
const OWN_SETTINGS = [
  ...(['port', 'host', 'headersMs', 'keepAliveMs', 'maxConnections', 'maxConnectionsPerAddress'] as const),
  ...(['authToken', 'authTokenEnv', 'keepToken', 'cockpit'] as const),
] as const
type OwnSettings = (typeof OWN_SETTINGS)[number]

/** Settings of `createHarness`. All are optional. */
export interface EmbeddedHarnessOptions extends Omit<ServerOptions, OwnSettings> {
  /** A caller with this token may do anything. Without `token`, `tokens` and `authenticate`, only local callers are allowed. */
  readonly token?: string
  /** Path under which the app serves the harness, such as `/bridle`. Default: none. */
  readonly basePath?: string
  /** Serves the cockpit at `basePath`: true, the folder of its files, or a function. Default: false. */
  readonly cockpit?: boolean | string | FileServer
  /** Folder that contains `agents/`. Default: no agent files. */
  readonly agentsRoot?: string | false
  /** Built-in agents to serve, such as `claude` or `scripted`. Default: none. */
  readonly builtInAgents?: readonly string[]
}

/** A harness without a port, served by an app. */
export interface EmbeddedHarness {
  /**
   * Handles a request below `basePath`. On Node, pass `incoming` and `outgoing`, as in Hono's `c.env`, for rate limits and the
   * check that callers without a credential are local.
   */
  fetch(request: Request, bindings?: unknown): Promise<Response>
  /** The same for `node:http` and Express. A request outside of `basePath` goes to `next`, or gets a 404. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, next?: (error?: unknown) => void): Promise<void>
  /** Handles a WebSocket handshake below `basePath`. False if the path is elsewhere; the socket is then untouched. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Refuses new work, lets runs finish within `graceMs`, asks clients to reconnect, and releases the data folder. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** Creates a harness. Resolves after it has resumed the previous process's work. */
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
      // An agent that the program names is meant to be callable.
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
      // Express strips the mount path from `url`, but keeps `originalUrl`.
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

const bindingsOf = (env: unknown): NodeBindings => {
  const { incoming, outgoing } = (env ?? {}) as NodeBindings
  return incoming?.socket ? { incoming, ...(outgoing && { outgoing }) } : {}
}

/** The harness cannot know where the app listens, so without a credential the peer must be local. */
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

/** Checked before the first name is read: a missing export would be undefined. */
const nameOf = (each: AgentDefinition): string => {
  if (!isAgent(each)) throw new ServerFault('agent_invalid', nonAgentProblem(each, 'options'))
  return each.name
}

interface ParsedRequest extends IncomingMessage {
  body?: unknown
  /** The bytes that the listener uses as the body. */
  rawBody?: Buffer
}

/** Restores a body that the app's framework has parsed. False if that is not possible. */
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
