// The agents of a Worker: scripted, those of its options, and the engines behind a runner.
import type { Digest } from '../../kernel/ports.ts'
import { scriptedRunner } from '../../runners/scripted.ts'
import { type AgentInfo, acceptPrompt } from '../../surfaces/http/agents.ts'
import { hex, digest as sha256 } from '../../surfaces/http/secrets.ts'
import { AgentRegistry } from '../agent-registry.ts'
import { runClock } from './object-clock.ts'
import type { HarnessEnv, HarnessOptions } from './options.ts'

export const digest: Digest = async (text) => hex(await sha256(text))

export const agentsOf = (options: HarnessOptions, _env: HarnessEnv): AgentRegistry => {
  const ports = { clock: runClock, digest }
  const registry = new AgentRegistry(ports)
  registry.addBuiltIn(scripted, scriptedRunner(ports))
  for (const definition of options.agents ?? []) registry.add(definition)
  return registry
}

export const defaultAgent = (registry: AgentRegistry, env: HarnessEnv): string =>
  env.BRIDLE_AGENT || (registry.agents.get('claude')?.needs === null ? 'claude' : 'scripted')

const scripted: AgentInfo = {
  name: 'scripted',
  description: 'Plays the scenario in its prompt; offline and deterministic.',
  webhook: false,
  needs: null,
  accept: acceptPrompt,
}
