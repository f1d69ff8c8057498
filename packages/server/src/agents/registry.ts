// A reloaded definition applies to later runs; runs in progress keep theirs.

import { type AgentDefinition, isAgent, nonAgentProblem } from '@bridle/agents/agent'
import { nativeIdentity, scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { policyWarnings } from '@bridle/agents/loop/policy/policy-warnings'
import { skillsNeed } from '@bridle/agents/loop/skills/read-skill'
import { modelNamesOf } from '@bridle/agents/model/model-choice'
import type { AgentRunPorts } from '@bridle/agents/run-ports'
import { acceptInput } from '@bridle/agents/schemas/input'
import { findChildAgent } from '@bridle/agents/subagents/child-agents'
import { inputSchemaOf } from '@bridle/agents/tools/json-schema'
import { present } from '@bridle/events/json'
import { type AgentInfo, canStart, promptSchema } from '@bridle/kernel/agent-info'
import type { Runner } from '@bridle/kernel/ports/runner'
import { tryOr } from '@bridle/kernel/try-or'
import { defaultEngineAgent } from '@bridle/runners/engine-table/descriptions'
import { ServerFault } from '@bridle/system/server-fault'
import { ASSISTANT } from '../models/assistant.ts'
import { modelNeeds } from '../models/model-source.ts'
import { definitionProblem } from './definition-problem.ts'
import type { AgentFile, BrokenAgentFile } from './folder.ts'

/** An agent as the wires show it, with its runner. */
export type ServedAgent = readonly [AgentInfo, Runner]
/** Serves an agent that a definition puts on an engine. Null: the server does not have that engine. */
export type ServeEngineAgent = (definition: AgentDefinition) => ServedAgent | null

export class AgentRegistry {
  readonly agents = new Map<string, AgentInfo>()
  readonly runners = new Map<string, Runner>()
  readonly #ports: AgentRunPorts
  readonly #wrapRunner: (runner: Runner) => Runner
  /** For sessions whose agent is gone: they stay readable, and their runs fail with that reason. */
  readonly #absentRunner: Runner
  /** Names that agent files must not use. */
  readonly #fixed = new Set<string>()
  readonly #definitions = new Map<string, AgentDefinition>()
  /** Agents that users may replace with one of the same name. */
  readonly #defaults = new Map<string, { readonly definition: AgentDefinition; readonly info: AgentInfo }>()
  readonly #serveEngineAgent: ServeEngineAgent
  /** Served once: runs of an unchanged definition have one runner. */
  readonly #engineAgents = new WeakMap<AgentDefinition, ServedAgent>()
  /** The agents whose runner leads to an engine. */
  readonly #onEngine = new Set<string>()
  #names = new Map<string, string>()

  /** `wrapRunner` wraps the runners of child agents from middleware, except those on an engine. */
  constructor(
    ports: AgentRunPorts,
    serveEngineAgent: ServeEngineAgent = () => null,
    wrapRunner: (runner: Runner) => Runner = (runner) => runner,
  ) {
    this.#ports = ports
    this.#serveEngineAgent = serveEngineAgent
    this.#wrapRunner = wrapRunner
    this.#absentRunner = nativeRunner(() => {
      throw new ServerFault('agent_unavailable', 'The agent is not available.')
    }, ports)
  }

  /** Also finds child agents from middleware. An unknown agent gets a runner that refuses. */
  runnerOf(name: string): Runner {
    const served = this.runners.get(name)
    if (served) return served
    if (!this.#childDefinition(name)) return this.#absentRunner
    this.#ensureRunner(name)
    const found = this.runners.get(name) ?? this.#absentRunner
    const runner = this.#onEngine.has(name) ? found : this.#wrapRunner(found)
    this.runners.set(name, runner)
    return runner
  }

  addBuiltIn(info: AgentInfo, runner: Runner): void {
    this.#fixed.add(info.name)
    this.agents.set(info.name, info)
    this.runners.set(info.name, runner)
  }

  /** Users may replace the agent. */
  addDefault(definition: AgentDefinition, needs: () => string | null): void {
    const { name, description } = definition
    const accept: AgentInfo['accept'] = (body) => acceptInput(definition, body)
    const info: AgentInfo = {
      ...{ ...nativeIdentity, name, description, webhook: false, isDefault: true, accept },
      inputSchema: () => (definition.input ? inputSchemaOf(definition) : promptSchema()),
      ...this.#modelChoice(definition),
      get needs() {
        return needs()
      },
    }
    this.#defaults.set(name, { definition, info })
    this.#ensureRunner(name)
    this.agents.set(name, info)
  }

  /** True if a model decides the agent's next step. */
  hasModel(name: string): boolean {
    return this.#definitionOf(name)?.model != null
  }

  add(definition: AgentDefinition): void {
    if (!isAgent(definition)) throw new ServerFault('agent_invalid', nonAgentProblem(definition, 'options'))
    if (this.#fixed.has(definition.name))
      throw new ServerFault('agent_name_taken', `There are two agents named "${definition.name}". Rename one of them.`)
    const problem = definitionProblem(definition, new Set())
    if (problem !== null) throw new ServerFault('agent_invalid', problem)
    this.#serve(definition)
    this.#fixed.add(definition.name)
  }

  /** Replaces all loaded agents, and returns the files that cannot be served. */
  load(found: readonly AgentFile[]): BrokenAgentFile[] {
    const problems: BrokenAgentFile[] = []
    const names = new Map<string, string>()
    const served = new Set(this.#fixed)
    for (const each of found) {
      if (!('definition' in each)) {
        problems.push({ ...each, name: this.#names.get(each.file) ?? each.name })
        continue
      }
      const { file, definition } = each
      const { name } = definition
      const problem = definitionProblem(definition, this.#fixed)
      if (problem !== null) {
        problems.push({ file, name, problem })
        continue
      }
      served.add(name)
      names.set(file, name)
      this.#serve(definition)
    }
    for (const { file, name, problem } of problems) {
      if (served.has(name)) continue
      served.add(name)
      names.set(file, name)
      this.withhold(name, `${file}: ${problem}`)
    }
    for (const name of this.agents.keys()) if (!served.has(name)) this.#drop(name)
    this.#names = names
    return problems
  }

  #serve(definition: AgentDefinition): void {
    const { name, description, triggers, model } = definition
    if (definition.engine) return this.#serveOnEngine(definition)
    const warnings = policyWarnings(definition)
    const missing = this.#ports.missingModel
    const noSkills = skillsNeed(definition, this.#ports)
    // Every prompt reads `needs`, so a model that was found is not looked up again.
    let isReady = !model || !missing
    this.#definitions.set(name, definition)
    this.#ensureRunner(name)
    this.agents.set(name, {
      ...nativeIdentity,
      name,
      description,
      webhook: triggers.webhook,
      // Evaluated on each access: a package may be installed later.
      get needs() {
        const needs = isReady || !model || !missing ? null : modelNeeds(model, missing)
        isReady = needs === null
        return noSkills ?? needs
      },
      startsAnyway: true,
      ...(definition.isProcedure && { isProcedure: true }),
      ...(warnings.length > 0 && { warnings }),
      inputSchema: () => (definition.input ? inputSchemaOf(definition) : promptSchema()),
      ...this.#modelChoice(definition),
      accept: (body) => acceptInput(definition, body),
    })
  }

  #serveOnEngine(definition: AgentDefinition): void {
    const { name, engine } = definition
    const [info] = this.#engineAgent(definition) ?? []
    if (!info) return this.withhold(name, `The server does not serve the engine "${engine?.name}".`)
    this.#definitions.set(name, definition)
    this.#ensureRunner(name)
    this.agents.set(name, info)
  }

  #engineAgent(definition: AgentDefinition): ServedAgent | null {
    const served = this.#engineAgents.get(definition) ?? this.#serveEngineAgent(definition)
    if (served) this.#engineAgents.set(definition, served)
    return served
  }

  /** Sessions may override the model of an agent that has one. */
  #modelChoice({ model }: AgentDefinition): Pick<AgentInfo, 'modelProblem' | 'models'> {
    if (!model) return {}
    const models = modelNamesOf(model)
    return {
      modelProblem: (name) => this.#ports.missingModel?.(name) ?? null,
      ...(models.length > 0 && { models }),
    }
  }

  /** Refuses runs of an agent whose file cannot be served. Built-in agents of that name stay. */
  withhold(name: string, needs: string): void {
    if (this.#fixed.has(name)) return
    this.#definitions.delete(name)
    this.#ensureRunner(name)
    const accept = async () => ({ problem: needs })
    this.agents.set(name, { ...nativeIdentity, name, description: '', webhook: false, needs, accept })
  }

  /** Keeps the runner, so that the agent's sessions stay readable. */
  #drop(name: string): void {
    this.#definitions.delete(name)
    const { info } = this.#defaults.get(name) ?? {}
    if (info) this.agents.set(name, info)
    else this.agents.delete(name)
  }

  #definitionOf(name: string): AgentDefinition | undefined {
    return this.#servedDefinition(name) ?? this.#childDefinition(name)
  }

  #servedDefinition(name: string): AgentDefinition | undefined {
    const { definition, info } = this.#defaults.get(name) ?? {}
    return this.#definitions.get(name) ?? (this.agents.get(name) === info ? definition : undefined)
  }

  /** A registered agent takes precedence over a child agent, even while its file is broken. */
  #childDefinition(name: string): AgentDefinition | undefined {
    return this.agents.has(name) ? undefined : findChildAgent(name, (each) => this.#servedDefinition(each))
  }

  #ensureRunner(name: string): void {
    const definition = this.#definitionOf(name)
    const isOnEngine = definition?.engine != null
    // The runner of an agent that is gone stays, for the runs that it has begun.
    if (this.runners.has(name) && (!definition || this.#onEngine.has(name) === isOnEngine)) return
    const current = () => {
      const found = this.#definitionOf(name)
      if (!found || (found.engine != null) !== isOnEngine)
        throw new ServerFault('agent_unavailable', `The agent "${name}" is not available.`)
      return found
    }
    if (isOnEngine) this.#onEngine.add(name)
    else this.#onEngine.delete(name)
    const runner = isOnEngine
      ? engineRunner(() => this.#engineAgent(current())?.[1] ?? this.#absentRunner)
      : nativeRunner(current, this.#ports)
    this.runners.set(name, runner)
  }
}

/** New turns use the current definition. A run in progress can be reached through any version, even after its definition was removed. */
const engineRunner = (current: () => Runner): Runner => {
  let last = current()
  const known = () => {
    last = tryOr(last, current)
    return last
  }
  return {
    ...present({ identity: last.identity }),
    start: async (job, reporter) => current().start(job, reporter),
    attach: (job, reporter) => known().attach(job, reporter),
    abort: (job) => known().abort(job),
    answer: async (job, answer) => known().answer?.(job, answer),
    steer: async (job, message) => known().steer?.(job, message),
    outlivesProcess: (job) => known().outlivesProcess?.(job) ?? false,
    stopTask: async (job, taskId) => (await known().stopTask?.(job, taskId)) ?? false,
    forget: async (key) => known().forget?.(key),
  }
}

export const defaultAgent = (
  agents: ReadonlyMap<string, Pick<AgentInfo, 'needs' | 'startsAnyway'>>,
  env: { readonly BRIDLE_AGENT?: string | undefined },
): string => {
  if (env.BRIDLE_AGENT) return env.BRIDLE_AGENT
  const candidates = [defaultEngineAgent, ASSISTANT].filter((name) => name !== undefined)
  const isReady = (name: string) => {
    const agent = agents.get(name)
    return agent !== undefined && canStart(agent)
  }
  return candidates.find(isReady) ?? scriptedIdentity.engine
}
