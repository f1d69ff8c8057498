// Each engine runs in a sandbox. Provider keys stay in this process.

import type { AgentDefinition } from '@bridle/agents/agent'
import { bridgeIdentity } from '@bridle/agents/in-process/engine-identities'
import type { AgentRunPorts } from '@bridle/agents/run-ports'
import { servedToolProblem } from '@bridle/agents/served/served-tool-problem'
import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { EngineInfo } from '@bridle/kernel/engine-info'
import { type Key, keyText } from '@bridle/kernel/event'
import type { Host } from '@bridle/kernel/host/host'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { Job, Runner } from '@bridle/kernel/ports/runner'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import {
  type McpServersOfRun,
  ProviderCredentials,
  type ProviderCredentialsOptions,
} from '@bridle/runners/credentials/provider-credentials'
import { ENGINE_PACKAGES, findPackage } from '@bridle/runners/engine-table/engine-packages'
import { type EngineRow, engineRegistry } from '@bridle/runners/engine-table/registry'
import type { EngineConfigs } from '@bridle/runners/engines/description'
import type { Engine } from '@bridle/runners/engines/engine'
import { type EngineMcpServers, isMcpAddress, mcpServersProblem, runMcpServers } from '@bridle/runners/mcp/declaration'
import { requestCounts } from '@bridle/runners/mcp/request-counts'
import { urlServers } from '@bridle/runners/mcp/url-server'
import { type NetworkPolicy, parseNetworkPolicy } from '@bridle/runners/network/network-policy'
import { nodeFetch } from '@bridle/runners/remote/node-fetch'
import { OwnTools } from '@bridle/runners/remote/own-tools'
import type { SandboxProvider } from '@bridle/runners/remote/provider'
import { remoteRunner } from '@bridle/runners/remote/remote-runner'
import { SandboxQueue } from '@bridle/runners/remote/sandbox-queue'
import type { SessionFoldersOptions } from '@bridle/runners/sandboxes/folders/session-folders'
import { type Backend, parseBackend } from '@bridle/runners/sandboxes/isolation/isolation'
import { parseNetworkVariable } from '@bridle/runners/sandboxes/isolation/isolation-plan'
import { LocalSandboxes } from '@bridle/runners/sandboxes/local-sandboxes'
import { parseResourceLimits, type ResourceLimits } from '@bridle/runners/sandboxes/resources/resource-limits'
import { urlSandbox } from '@bridle/runners/sandboxes/url-sandbox'
import { deriveSecret, serverSecret } from '@bridle/runners/secrets/server-secret'
import { messageOf, ServerFault } from '@bridle/system/server-fault'
import { engineInput } from './engine-input.ts'
import { engineSafetyProblem } from './engine-safety.ts'
import { engineSetup } from './engine-setup.ts'
import { instructionsReader } from './instructions-file.ts'
import type { ServedAgent, ServeEngineAgent } from './registry.ts'

export interface SandboxOptions {
  /** Default: bubblewrap. `process` isolates nothing: the agent's programs can read the server's files and keys. */
  readonly backend?: Backend
  /** URL of a remote runner. Its token is in BRIDLE_RUNNER_TOKEN. */
  readonly url?: string
  /** Maximum concurrent sandboxes. Default: 8. */
  readonly max?: number
  readonly idleMs?: number
  readonly maxAgeMs?: number
  /** Address of the credential proxy as seen by sandboxes. Default: loopback. */
  readonly proxyUrl?: string
  readonly proxyHost?: string
  /** Default: none. */
  readonly network?: NetworkPolicy
  /** Per sandbox. Defaults: 4 GiB of memory, 256 processes, 10 GiB of disk. Sizes are bytes or text such as '8 GiB'. */
  readonly limits?: { readonly [name in keyof ResourceLimits]?: number | string }
}

export interface EngineAgentsOptions extends Pick<ProviderCredentialsOptions, 'env' | 'data' | 'loginRefusal'> {
  readonly folders?: SessionFoldersOptions
  readonly clock: Clock
  readonly digest: Digest
  readonly uploads?: Pick<Uploads, 'read'>
  readonly isOpen?: boolean
  readonly sandbox?: SandboxOptions
  /** Called with the folder of a sandbox that works in place. Returns a function to call when the sandbox ends. */
  readonly onInPlace?: (work: string) => () => void
  /** Per engine: model, effort, instructions, permission_mode and others. */
  readonly engines?: EngineConfigs
  /** Project folder, to which files of instructions are relative. Default: the working directory. */
  readonly projectRoot?: string
  /** Receives errors thrown by own tools. */
  readonly onFailure?: AgentRunPorts['onFailure']
  /** Default: all built-in engines. */
  readonly registry?: readonly EngineRow[]
}

export interface EngineAgents {
  readonly agents: readonly (readonly [AgentInfo, Runner])[]
  /** Serves an agent whose definition names one of the engines. */
  readonly serve: ServeEngineAgent
  /** Call only after the host has resumed the previous process's runs, which claim their sandboxes. */
  stopOrphans(host: Host): Promise<void>
  /** Call before the host stops. */
  stopEnded(host: Host): Promise<void>
  /** Warns the operator about missing isolation; null if there is nothing to report. */
  readonly warning: string | null
  /** Resolves with a note about sandboxes that keep running, or null. */
  close(): Promise<string | null>
}

const OTHER_MACHINE = 'A personal login does not leave the machine: a runner elsewhere needs the key.'

const NO_WALLS =
  'engines run without walls (BRIDLE_SANDBOX=process): what an agent runs can read what this server can, its keys included'

export const createEngineAgents = async (options: EngineAgentsOptions): Promise<EngineAgents> => {
  const { data, env, clock, digest, registry = engineRegistry } = options
  const sandbox = sandboxSettings(options.sandbox, env)
  const secret = serverSecret(data, env)
  const loginRefusal =
    sandbox.url !== undefined || sandbox.proxyHost !== undefined ? OTHER_MACHINE : (options.loginRefusal ?? null)
  const keys = new ProviderCredentials({ secret, env, sandbox, data, loginRefusal })
  const local = sandbox.url === undefined ? localSandboxes({ ...options, sandbox }, secret) : null
  const { isOpen = false } = options
  const { backend = 'auto', network = 'none' } = sandbox
  const refusal = local && engineSafetyProblem({ isOpen, backend, network })
  const provider: SandboxProvider =
    (refusal === null ? local : refuseAcquire(local, refusal)) ??
    urlSandbox({ url: sandbox.url ?? '', token: env.BRIDLE_RUNNER_TOKEN ?? null, fetch: nodeFetch() })
  const runToken = async ({ key, runId, attempt }: Job) => deriveSecret(secret, 'run', keyText(key), runId, attempt)

  const close = async () => {
    const kept = (await local?.close()) ?? 0
    await keys.close()
    return local === null || kept === 0 ? null : keptNote(kept, local.orphanEndMs)
  }
  const readInstructions = instructionsReader(options.projectRoot ?? '.')
  // Runs of all engines wait for the same sandboxes, in one row.
  const queue = new SandboxQueue(clock)
  const open = async (row: EngineRow): Promise<OpenEngine> => {
    const engine = row.create(env)
    const mcpProblem = mcpServersProblem(options.engines?.[engine.name]?.mcp)
    if (mcpProblem !== null) throw new ServerFault('option_invalid', `engines.${engine.name}: ${mcpProblem}`)
    const where = `engines.${engine.name}.tools`
    const toolProblem = servedToolProblem(where, options.engines?.[engine.name]?.tools, row.toolNames ?? [])
    if (toolProblem !== null) throw new ServerFault('option_invalid', toolProblem)
    // A remote runner has its own engines and isolation.
    const findMissing = async () => (local === null ? null : ((await engine.needs()) ?? (await local.missing())))
    return { row, engine, status: await engineStatus(engine, findMissing) }
  }
  const serveOn =
    ({ row, engine, status }: OpenEngine) =>
    (definition: AgentDefinition | null): ServedAgent => {
      const setup = engineSetup(row, options.engines?.[engine.name], definition, readInstructions)
      const { settings, modelProblem } = setup
      const { name = engine.name, description = '', triggers } = definition ?? {}
      const { mcp, tools = [] } = setup.config
      const problem =
        setup.problem ?? mcpServersProblem(mcp) ?? servedToolProblem(`"${name}"`, tools, row.toolNames ?? [])
      const ownTools = new OwnTools({ tools, clock, digest, settings, ...present({ onFailure: options.onFailure }) })
      const instructions = [setup.instructions, row.hidesMcpTools && ownTools.note].filter(Boolean).join('\n\n')
      const runner = remoteRunner({
        engine: engine.name,
        modelProvider: engine.provider,
        ...{ provider, clock, digest, settings, runToken, queue, modelProblem, ownTools },
        mcp: [...runMcpServers(mcp), ...ownTools.servers],
        credentials: keys.forEngine(
          engine,
          settings,
          setup.providerModels ?? undefined,
          mcpHandlers(data, mcp, ownTools),
        ),
        ...(instructions !== '' && { instructions }),
        ...present({ efforts: row.efforts, repository: setup.config.repository, uploads: options.uploads }),
      })
      const info: AgentInfo = {
        name,
        description:
          description || `${row.title}, ${local?.hasWalls === false ? 'without walls around it' : 'in a sandbox'}.`,
        webhook: triggers?.webhook ?? false,
        ...bridgeIdentity(engine.name),
        get capabilities() {
          return status.info
        },
        ...engineInput(row, setup),
        workspaceProblem: local === null ? ELSEWHERE : null,
        get needs() {
          return problem ?? status.missing ?? refusal ?? (local === null ? null : keys.missingKey(engine.provider))
        },
        get credential() {
          return local === null ? null : keys.nameOf(engine.provider)
        },
      }
      return [info, problem === null ? runner : { ...runner, start: refuseStart(problem) }]
    }
  const opened = await Promise.all(
    registry.map((row) => open(row).catch((cause: unknown) => Promise.reject(engineFault(row, cause)))),
  ).catch(async (error) => {
    await close()
    throw error
  })
  const served = new Map(opened.map((each) => [each.row.name, serveOn(each)]))
  const agents = [...served.values()].map((serve) => serve(null))
  const isUsable = agents.some(([{ needs }]) => needs === null)
  return {
    agents,
    serve: (definition) => served.get(definition.engine?.name ?? '')?.(definition) ?? null,
    warning: local && backend === 'process' && isUsable ? NO_WALLS : null,
    stopOrphans: async (host) => {
      await local?.reap(isLiveIn(host), async (key) => (await host.find(key)) !== null)
    },
    stopEnded: async (host) => {
      await local?.endUnnamed(isLiveIn(host))
    },
    close,
  }
}

/** Undefined: no MCP server of the engine is reached through this process. */
const mcpHandlers = (
  data: string,
  servers: EngineMcpServers = {},
  { tools, handlers }: OwnTools,
): McpServersOfRun | undefined =>
  tools.length > 0 || Object.values(servers).some(isMcpAddress)
    ? (run) => ({ ...urlServers(servers, requestCounts(data, run)), ...handlers })
    : undefined

const isLiveIn = (host: Host) => async (key: Key, sandboxId: string) => {
  const session = await host.find(key)
  const { sandbox: named } = (session?.state.lifecycle.run?.handle ?? {}) as { sandbox?: unknown }
  return named === sandboxId
}

const keptNote = (count: number, endMs: number): string =>
  `${count} ${count === 1 ? 'sandbox goes' : 'sandboxes go'} on without the server: the next start continues ${count === 1 ? 'its run' : 'their runs'}, and without one all of it ends within ${Math.ceil(endMs / 60_000)} minutes`

const engineFault = ({ title }: EngineRow, cause: unknown): ServerFault =>
  cause instanceof ServerFault
    ? cause
    : new ServerFault('engine_broken', `The engine ${title} cannot be set up: ${messageOf(cause)}`, { cause })

const sandboxSettings = (options: SandboxOptions = {}, env: NodeJS.ProcessEnv): SandboxOptions => {
  const { BRIDLE_SANDBOX: backend, BRIDLE_RUNNER_URL: url } = env
  const { BRIDLE_SANDBOX_NETWORK: network } = env
  return {
    ...(backend && { backend: parseBackend(backend) }),
    ...(network && { network: parseNetworkVariable(network) }),
    ...(url && { url }),
    ...options,
  }
}

const localSandboxes = (
  { data, folders, sandbox = {}, env, onInPlace }: EngineAgentsOptions,
  secret: string,
): LocalSandboxes => {
  const { backend, network, limits, max, idleMs, maxAgeMs } = sandbox
  return new LocalSandboxes({
    folder: data,
    secret: deriveSecret(secret, 'sandboxes'),
    engines: () => enginesRoot(env),
    network: parseNetworkPolicy(network),
    limits: parseResourceLimits(limits),
    ...present({ folders, backend, max, idleMs, maxAgeMs, onInPlace }),
  })
}

/** Some routes start a run without checking `needs`, so refuse here as well. */
const refuseAcquire = (provider: SandboxProvider | null, refusal: string): SandboxProvider | null =>
  provider && {
    acquire: async () => {
      throw new ServerFault('engine_unsafe', refusal)
    },
    find: async () => null,
    health: (sandbox) => provider.health(sandbox),
    setEnvVars: (sandbox, vars) => provider.setEnvVars(sandbox, vars),
    stop: (sandbox) => provider.stop(sandbox),
    forget: (key) => provider.forget(key),
  }

/** Root of the engines' packages, so that sandboxes use the same ones as this process. */
const enginesRoot = (env: NodeJS.ProcessEnv): string | null =>
  env.BRIDLE_ENGINES ??
  ENGINE_PACKAGES.map((name) => findPackage(name, env)).find((found) => found !== null)?.root ??
  null

/** Some routes do not check `needs`, and a run without its instructions would do something else. */
const refuseStart = (problem: string) => async (): Promise<never> => {
  throw new ServerFault('agent_unavailable', problem)
}

interface OpenEngine {
  readonly row: EngineRow
  readonly engine: Engine
  readonly status: EngineStatus
}

interface EngineStatus {
  readonly missing: string | null
  readonly info: EngineInfo
}

/** `missing` is evaluated on each access: an engine or bubblewrap may be installed later. */
const engineStatus = async (engine: Engine, findMissing: () => Promise<string | null>): Promise<EngineStatus> => {
  // Read the version and what is missing together, so that they agree.
  const look = async () => ({ missing: await findMissing(), info: engine.info })
  let seen = await look()
  return {
    get missing() {
      look().then(
        (found) => (seen = found),
        () => {},
      )
      return seen.missing
    },
    get info() {
      return seen.info
    },
  }
}

const ELSEWHERE =
  'The agent runs on another machine (BRIDLE_RUNNER_URL), which has none of the folders here. Leave "workspace" out, or start the server without that variable'
