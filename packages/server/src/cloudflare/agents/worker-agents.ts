// The agents of a Worker: scripted, assistant, voice, those of its options, and the engines behind a runner.

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
import { type EnginePorts, engineInfo, engineRunner } from './engines.ts'
import { type InvocationHops, withInvocationHops } from './invocation-hops.ts'

export interface AgentPorts extends EnginePorts {
  readonly invocationHops: InvocationHops
  readonly children: ChildSessions
  readonly voiceModel: NonNullable<AgentRunPorts['voiceModel']>
  /** Takes what an agent's code threw; absent = the logs of the Worker. */
  readonly onFailure: ((failure: AgentFailure) => void) | undefined
}

/** `parts` belong to an object; a gateway, which runs nothing, has none. */
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
  // No other start of the object can continue a function that is not durable, so the object stays in memory while it waits.
  const hopping = (runner: Runner) =>
    parts ? withInvocationHops(runner, parts.invocationHops, { canRest: false }) : runner
  const registry = new AgentRegistry(ports, hopping)
  registry.addBuiltIn(
    scriptedAgent,
    parts ? withInvocationHops(scriptedRunner(ports), parts.invocationHops, { canRest: true }) : noRunner,
  )
  for (const description of engineDescriptions)
    registry.addBuiltIn(
      engineInfo(description, env, options.engines?.[description.name] ?? {}),
      parts ? engineRunner(description, options, parts) : noRunner,
    )
  const assistant = createAssistant(variables, source, 'cloudflare')
  registry.addDefault(assistant.definition, assistant.needs)
  const voice = createVoiceAgent(env, assistant, { clock: runClock, connect: connectProvider })
  registry.addDefault(voice.definition, voice.needs)
  const { agents = [], brokenAgents = [] } = options
  for (const definition of agents) registry.add(definition)
  for (const { name, problem } of brokenAgents) registry.withhold(name, problem)
  for (const name of new Set([ASSISTANT, VOICE, ...agents.map((each) => each.name)])) {
    const runner = registry.runners.get(name)
    if (runner) registry.runners.set(name, hopping(runner))
  }
  return registry
}

const refuse = async (): Promise<never> => {
  throw new Error('Nothing runs here.')
}
const noRunner: Runner = { start: refuse, attach: refuse, abort: refuse, answer: refuse }

/** The stack is for the operator, in the logs of the Worker; callers get the message. */
const logFailure = ({ key, runId, attempt, error, tool }: AgentFailure): void => {
  const place = `${keyText(key)}, run ${runId}, attempt ${attempt}`
  const stack = error instanceof Error ? error.stack : shortErrorMessage(error)
  console.error(tool === null ? 'the agent threw:' : `the tool ${tool} threw:`, place, stack)
}
