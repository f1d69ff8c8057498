// Built-in agents, those passed as options, and those in the agent folder, which is reloaded when it changes.
import { resolve } from 'node:path'
import type { AgentDefinition } from '@bridle/agents/agent'
import type { AgentRunPorts } from '@bridle/agents/run-ports'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { Runner } from '@bridle/kernel/ports/runner'
import { skillFolders } from '@bridle/runners/repository/skill-folders'
import { ServerFault } from '@bridle/system/server-fault'
import { connectProvider } from '@bridle/voice/node/provider-socket'
import { ASSISTANT, createAssistant } from '../models/assistant.ts'
import { createModelSource, type ModelProviders } from '../models/model-source.ts'
import { nodePackages, packagesFolder } from '../models/node-packages.ts'
import { createVoiceAgent } from '../voice/voice-agent.ts'
import { type AgentFileChange, type AgentFileStates, fileChanges, fileStates } from './file-changes.ts'
import { findAgents, watchAgents } from './folder.ts'
import { AgentRegistry, type ServeEngineAgent } from './registry.ts'

export interface AgentsOptions {
  /** Agents to serve besides those in files. A string instead names the folder that replaces `agents/`. */
  readonly agents?: readonly AgentDefinition[] | string
  /** Folder that contains `agents/` and `.fabricharness/agents/`. Default: the working directory. False: no agent files. */
  readonly agentsRoot?: string | false
  /** Built-in agents to serve, such as `claude`. Default: all. */
  readonly builtInAgents?: readonly string[]
  /** Reloads changed files for runs that start afterwards. */
  readonly watchAgents?: boolean
  /** Model providers by name, as in `provider/model-id`. Others are imported as `@ai-sdk/<provider>` from the agents' folder. */
  readonly models?: ModelProviders
  /** Called with changes to agent files, at start and after each reload. Default: problems are logged. */
  readonly onAgentFiles?: (changes: readonly AgentFileChange[]) => void
}

export interface ServerAgents {
  readonly agents: ReadonlyMap<string, AgentInfo>
  readonly runnerOf: (agent: string) => Runner
  readonly hasModel: (agent: string) => boolean
  /** Reloads the files for runs that start afterwards. Only if they are watched. */
  readonly reload: () => void
  readonly close: () => void
}

export const loadServerAgents = async (
  { agents = [], agentsRoot = '.', watchAgents: isWatched = false, builtInAgents, models, onAgentFiles }: AgentsOptions,
  builtIn: readonly (readonly [AgentInfo, Runner])[],
  ports: AgentRunPorts & { readonly env: NodeJS.ProcessEnv; readonly serveEngineAgent?: ServeEngineAgent },
  log: (line: string) => void,
): Promise<ServerAgents> => {
  const { env, serveEngineAgent, ...runPorts } = ports
  const root = resolve(agentsRoot || '.')
  const source = createModelSource({ models, env, packages: nodePackages(packagesFolder(agents, agentsRoot)) })
  const modelPorts = { resolveModel: source.resolve, missingModel: source.missing }
  const registry = new AgentRegistry({ ...runPorts, ...modelPorts, skillFolders: skillFolders(root) }, serveEngineAgent)
  const isServed = (name: string) => builtInAgents?.includes(name) ?? true
  for (const [info, runner] of builtIn) if (isServed(info.name)) registry.addBuiltIn(info, runner)
  const assistant = createAssistant(env, source, 'node')
  const voice = createVoiceAgent(env, assistant, { clock: ports.clock, connect: connectProvider })
  for (const { definition, needs } of [assistant, voice])
    if (isServed(definition.name)) registry.addDefault(definition, needs)
  if (isServed(ASSISTANT)) for (const problem of assistant.problems()) log(`agent ${ASSISTANT}: ${problem}`)
  const unknown = builtInAgents?.find((name) => !registry.agents.has(name))
  if (unknown !== undefined)
    throw new ServerFault('agent_unavailable', `builtInAgents names "${unknown}", and there is no such agent.`)
  if (typeof agents !== 'string') for (const definition of agents) registry.add(definition)
  if (agentsRoot === false) return servedBy(registry, { reload: () => {}, close: () => {} })
  const report = onAgentFiles ?? ((changes) => changes.flatMap(problemLine).forEach(log))
  let before: AgentFileStates = new Map()
  const load = async () => {
    const found = await findAgents(root, agents)
    const after = fileStates(found, registry.load(found))
    const changes = fileChanges(before, after)
    before = after
    if (changes.length > 0) report(changes)
  }
  // Serialize reloads, so that an older read never replaces a newer one.
  let loading = load()
  await loading
  const reload = () => {
    loading = loading.then(load).catch((error) => log(`the agents could not be loaded again: ${String(error)}`))
    return loading
  }
  const watcher = isWatched ? watchAgents(root, reload, agents) : null
  return servedBy(registry, { reload: () => void (isWatched && reload()), close: () => watcher?.close() })
}

const servedBy = (
  registry: AgentRegistry,
  { reload, close }: Pick<ServerAgents, 'reload' | 'close'>,
): ServerAgents => ({
  agents: registry.agents,
  runnerOf: (agent) => registry.runnerOf(agent),
  hasModel: (agent) => registry.hasModel(agent),
  reload,
  close,
})

const problemLine = ({ file, problem, frame }: AgentFileChange): string[] =>
  problem === undefined
    ? []
    : [`agent ${file} is not available: ${problem}${frame === undefined ? '' : `\n${frame.replaceAll(/^/gm, '  ')}`}`]
