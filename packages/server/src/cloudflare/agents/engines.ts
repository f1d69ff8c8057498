import type { AgentDefinition } from '@bridle/agents/agent'
import { bridgeIdentity } from '@bridle/agents/in-process/engine-identities'
import { findChildAgent } from '@bridle/agents/subagents/child-agents'
import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { keyText } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import type { EngineConfig, EngineDescription } from '@bridle/runners/engines/description'
import { runMcpServers } from '@bridle/runners/mcp/declaration'
import { OwnTools } from '@bridle/runners/remote/own-tools'
import type { SandboxProvider } from '@bridle/runners/remote/provider'
import { remoteRunner } from '@bridle/runners/remote/remote-runner'
import { urlSandbox } from '@bridle/runners/sandboxes/url-sandbox'
import { deriveToken } from '@bridle/surfaces/http/access/sealing'
import { engineInput } from '../../agents/engine-input.ts'
import { type EngineSetup, engineSetup } from '../../agents/engine-setup.ts'
import type { ServeEngineAgent } from '../../agents/registry.ts'
import { runClock } from '../alarms/object-clock.ts'
import { type CredentialPorts, runCredentials } from '../credentials/credential-proxy.ts'
import type { SigningSecret } from '../credentials/signing-secret.ts'
import { digest } from '../platform/digest.ts'
import type { HarnessEnv, HarnessOptions } from '../platform/options.ts'
import { containerSandboxes } from './containers.ts'

export interface EnginePorts {
  readonly provider: SandboxProvider
  readonly credentials: CredentialPorts
  readonly uploads: Pick<Uploads, 'read'>
}

/** Only the runner knows the versions of its engines. */
const VERSION = 'of the runner'

/** `definition`: null = the engine's own agent. */
export const engineInfo = (
  description: EngineDescription,
  env: HarnessEnv,
  config: EngineConfig = {},
  definition: AgentDefinition | null = null,
): AgentInfo => {
  const { name: engine, title, info } = description
  const setup = engineSetup(description, config, definition)
  const { name = engine, description: about = '', triggers } = definition ?? {}
  return {
    ...bridgeIdentity(engine),
    name,
    description: about || `${title}, in a sandbox.`,
    webhook: triggers?.webhook ?? false,
    needs:
      setup.problem ?? toolsProblem(name, setup) ?? (env.BRIDLE_RUNNER_URL || env.HARNESS_SANDBOX ? null : NO_SANDBOX),
    capabilities: info(VERSION),
    ...engineInput(description, setup),
  }
}

const toolsProblem = (name: string, { config: { tools = [] } }: EngineSetup): string | null =>
  tools.length === 0
    ? null
    : `The tools of "${name}" need a server on Node: a Worker cannot answer the calls of an engine in a sandbox.`

const NO_SANDBOX = 'Bind a container as HARNESS_SANDBOX, or set BRIDLE_RUNNER_URL to a runner.'

export const engineRunner = (
  description: EngineDescription,
  options: HarnessOptions,
  { provider, credentials, uploads }: EnginePorts,
  definition: AgentDefinition | null = null,
): Runner => {
  const { name, provider: modelProvider, efforts } = description
  const setup = engineSetup(description, options.engines?.[name], definition)
  const { settings, modelProblem, instructions, problem } = setup
  const { mcp, tools = [] } = setup.config
  const ownTools = new OwnTools({ tools, clock: runClock, digest, settings })
  const runner = remoteRunner({
    engine: name,
    ...{ modelProvider, provider, clock: runClock, digest, uploads, settings, modelProblem, ownTools },
    // The runner reaches no server behind the relay from here, and the log of each run says so.
    mcp: [...runMcpServers(mcp), ...ownTools.servers],
    ...present({ instructions, efforts, repository: setup.config.repository }),
    runToken: async ({ key, runId, attempt }) =>
      deriveToken(await credentials.secret(), 'run', keyText(key), runId, attempt),
    credentials: runCredentials(credentials, modelProvider, settings),
  })
  return problem === null ? runner : { ...runner, start: () => Promise.reject(new Error(problem)) }
}

/** The agent of a definition on an engine, for the registry; `ports`: null = nothing runs here. */
export const serveEngineAgent =
  (options: HarnessOptions, env: HarnessEnv, ports: EnginePorts | null, noRunner: Runner): ServeEngineAgent =>
  (definition) => {
    const description = engineDescriptions.find(({ name }) => name === definition.engine?.name)
    if (!description) return null
    const info = engineInfo(description, env, options.engines?.[description.name], definition)
    return [info, ports ? engineRunner(description, options, ports, definition) : noRunner]
  }

/** The operator's settings for the agent of this name. Null: it is not on an engine. */
export const engineSetupOf = (options: HarnessOptions, agent: string): EngineSetup | null => {
  const served = (name: string) => options.agents?.find((each) => each.name === name)
  const definition = served(agent) ?? findChildAgent(agent, served) ?? null
  const engine = definition?.engine?.name ?? agent
  const description = engineDescriptions.find(({ name }) => name === engine)
  return description ? engineSetup(description, options.engines?.[engine], definition) : null
}

/** A URL overrides containers, for development. Without either, runs are refused with a hint. */
export const createSandboxProvider = (env: HarnessEnv, secret: SigningSecret): SandboxProvider => {
  const { BRIDLE_RUNNER_URL: url, BRIDLE_RUNNER_TOKEN: token, HARNESS_SANDBOX: containers } = env
  if (url) return urlSandbox({ url, token: token || null })
  if (containers)
    return containerSandboxes(containers, async (key) => deriveToken(await secret(), 'sandbox', keyText(key)))
  const missing = async (): Promise<never> => {
    throw new Error('There is no runner. Bind a container as HARNESS_SANDBOX, or set BRIDLE_RUNNER_URL.')
  }
  return {
    acquire: missing,
    find: async () => null,
    health: async () => null,
    setEnvVars: missing,
    stop: async () => {},
    forget: async () => {},
  }
}
