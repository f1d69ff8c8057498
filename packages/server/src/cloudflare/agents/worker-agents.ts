import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import type { AgentFailure, AgentRunPorts } from '@bridle/agents/run-ports'
import { shortErrorMessage } from '@bridle/agents/session/error-message'
import { keyText } from '@bridle/kernel/event'
import type { ChildSessions } from '@bridle/kernel/ports/child-sessions'
import type { Runner } from '@bridle/kernel/ports/runner'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { AgentRegistry } from '../../agents/registry.ts'
import { scriptedAgent } from '../../agents/scripted.ts'
import { ASSISTANT, createAssistant } from '../../models/assistant.ts'
import { createModelSource } from '../../models/model-source.ts'
import { createVoiceAgent, VOICE } from '../../voice/voice-agent.ts'
import { runClock } from '../alarms/object-clock.ts'
import { digest } from '../platform/digest.ts'
import type { HarnessEnv, HarnessOptions } from '../platform/options.ts'
import { connectProvider } from '../sockets/provider-socket.ts'
import { type EnginePorts, engineInfo, engineRunner, serveEngineAgent } from './engines.ts'
import { type InvocationHops, withInvocationHops } from './invocation-hops.ts'

export interface AgentPorts extends EnginePorts {
  readonly invocationHops: InvocationHops
  readonly children: ChildSessions
  readonly voiceModel: NonNullable<AgentRunPorts['voiceModel']>
  /** Receives errors thrown by agent code. Absent: they are logged. */
  readonly onFailure: ((failure: AgentFailure) => void) | undefined
}

/** `parts` belong to an object. Null in the gateway, which runs nothing. */
export const createWorkerAgents = (
  options: HarnessOptions,
  env: HarnessEnv,
  parts: AgentPorts | null,
): AgentRegistry => {
  const { BRIDLE_MODEL, BRIDLE_MODEL_URL, BRIDLE_MODEL_KEY } = env
  const variables = { BRIDLE_MODEL, BRIDLE_MODEL_URL, BRIDLE_MODEL_KEY }
  const source = createModelSource({ models: options.models, env: variables, packages: null })
  const ports = {
    clock: runClock,
    digest,
    resolveModel: source.resolve,
    missingModel: source.missing,
    onFailure: parts?.onFailure ?? logFailure,
    ...(parts && { uploads: parts.uploads, children: parts.children, voiceModel: parts.voiceModel }),
  }
  // A non-durable function cannot resume in a later start, so its object stays in memory while it waits.
  const hopping = (runner: Runner) =>
    parts ? withInvocationHops(runner, parts.invocationHops, { canRest: false }) : runner
  const registry = new AgentRegistry(ports, serveEngineAgent(options, env, parts, noRunner), hopping)
  registry.addBuiltIn(
    scriptedAgent,
    parts ? withInvocationHops(scriptedRunner(ports), parts.invocationHops, { canRest: true }) : noRunner,
  )
  for (const description of engineDescriptions)
    registry.addBuiltIn(
      engineInfo(description, env, options.engines?.[description.name]),
      parts ? engineRunner(description, options, parts) : noRunner,
    )
  const assistant = createAssistant(variables, source, 'cloudflare')
  registry.addDefault(assistant.definition, assistant.needs)
  const voice = createVoiceAgent(env, assistant, { clock: runClock, connect: connectProvider })
  registry.addDefault(voice.definition, voice.needs)
  const { agents = [], brokenAgents = [] } = options
  for (const definition of agents) registry.add(definition)
  for (const { name, problem } of brokenAgents) registry.withhold(name, problem)
  // An engine works elsewhere: its runs cost the object no steps.
  const inProcess = agents.filter(({ engine }) => !engine)
  for (const name of new Set([ASSISTANT, VOICE, ...inProcess.map((each) => each.name)])) {
    const runner = registry.runners.get(name)
    if (runner) registry.runners.set(name, hopping(runner))
  }
  return registry
}

const refuse = async (): Promise<never> => {
  throw new Error('Nothing runs here.')
}
const noRunner: Runner = { start: refuse, attach: refuse, abort: refuse, answer: refuse }

/** The stack goes to the Worker's logs only; callers get the message. */
const logFailure = ({ key, runId, attempt, error, tool }: AgentFailure): void => {
  const place = `${keyText(key)}, run ${runId}, attempt ${attempt}`
  const stack = error instanceof Error ? error.stack : shortErrorMessage(error)
  console.error(tool === null ? 'the agent threw:' : `the tool ${tool} threw:`, place, stack)
}
