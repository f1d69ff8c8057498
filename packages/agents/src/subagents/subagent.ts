// The middleware `subagent`: the model gives tasks to other agents. Each task is a session of its own, whose result is the result of
// the call.

import { isJsonObject } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import { type AgentDefinition, isAgent } from '../agent.ts'
import type { ChildAgent, Middleware } from '../middleware/middleware.ts'
import { type StandardSchema, writtenSchema } from '../schemas/standard-schema.ts'
import { type Tool, tool } from '../tools/tool.ts'

/** Sessions above a child that wait for it, the first one included: work that is split more often has lost its purpose. */
const DEPTH_MAX = 4
/** Children of one run at the same time: as many as calls of one answer. */
const AT_ONCE_MAX = 8

/** The options of `subagent`. */
export interface SubagentOptions {
  /** The agents that the model may ask: each one becomes a tool `ask_<name>`. */
  readonly agents: readonly (AgentDefinition | NamedSubagent)[]
  /** How many sessions may be above a child, the first one included; default and at most 4. */
  readonly maxDepth?: number
  /** Children of one run at the same time; further calls wait for one to end. Default and at most 8. */
  readonly maxAtOnce?: number
}

/** An agent under another name, or with another description for the model that asks it. */
export interface NamedSubagent {
  /** The name; default: the agent's own. */
  readonly name?: string
  /** Tells the model what the agent does and when to ask it; default: the agent's own. */
  readonly description?: string
  /** The agent. */
  readonly agent: AgentDefinition
}

/**
 * Middleware that lets the model give tasks to other agents. Each call is a session of its own with a share of the budgets that are
 * left, and the run waits for it without using memory. Throws a TypeError that names what is wrong.
 */
export const subagent = (options: SubagentOptions): Middleware => {
  const problem = problemOf(options)
  if (problem !== null) throw new TypeError(`subagent(): ${problem}`)
  const { maxDepth = DEPTH_MAX, maxAtOnce = AT_ONCE_MAX } = options
  const named = options.agents.map(withName)
  const agents = named.map(
    ({ name, agent }): ChildAgent => ({ name, agent, tool: toolName(name), maxDepth, maxAtOnce }),
  )
  return Object.freeze({ name: 'subagent', agents, tools: named.map(askTool) })
}

const askTool = ({ name, description, agent }: Required<NamedSubagent>): Tool =>
  tool({
    name: toolName(name),
    description,
    input: (agent.input ?? taskSchema) as StandardSchema<object, unknown>,
    // The child is found again by the key of the call, so that a repeated call starts no second one.
    effect: 'idempotent',
    resources: () => [],
    run: () => {
      throw new Error(`"${name}" can only be asked by the loop of an agent with a model.`)
    },
  })

const withName = (given: AgentDefinition | NamedSubagent): Required<NamedSubagent> => {
  const { name, description, agent }: NamedSubagent = isAgent(given) ? { agent: given } : given
  const own = name ?? agent.name
  return { name: own, agent, description: description || agent.description || `Gives a task to the agent "${own}".` }
}

/** Providers take fewer characters than the names of agents have. */
const toolName = (name: string): string => `ask_${name.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64)

/** The argument of an agent without an input schema. */
const taskSchema = writtenSchema<object, unknown>(
  () => ({
    type: 'object',
    properties: {
      task: { type: 'string', description: 'The whole task: the agent knows nothing of this conversation.' },
    },
    required: ['task'],
    additionalProperties: false,
  }),
  (value) =>
    isJsonObject(value) && typeof value.task === 'string' && value.task.trim() !== ''
      ? { value: { task: value.task } }
      : { issues: [{ message: 'a text is needed: the task', path: ['task'] }] },
)

const problemOf = (options: unknown): string | null => {
  const { agents, maxDepth, maxAtOnce } = (options ?? {}) as { readonly [name: string]: unknown }
  if (!Array.isArray(agents) || agents.length === 0) return 'it takes a list: subagent({ agents: [researcher] }).'
  const names = new Set<string>()
  for (const each of agents as readonly unknown[]) {
    const given = isAgent(each) ? { agent: each } : ((each ?? {}) as Partial<NamedSubagent>)
    if (!isAgent(given.agent)) return 'an entry of agents is neither an agent nor { name, description, agent }.'
    const name = given.name ?? given.agent.name
    if (!isId(name)) return 'a name may have letters, digits and . _ : @ - only, at most 128.'
    if (given.description !== undefined && typeof given.description !== 'string')
      return `the description of "${name}" is not a text.`
    if (names.has(toolName(name))) return `two agents have the name "${name}", or nearly so. Give one of them another.`
    names.add(toolName(name))
  }
  return countProblem('maxDepth', maxDepth, DEPTH_MAX) ?? countProblem('maxAtOnce', maxAtOnce, AT_ONCE_MAX)
}

const countProblem = (field: string, value: unknown, max: number): string | null =>
  value === undefined || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max)
    ? null
    : `${field} is not a whole number from 1 to ${max}.`
