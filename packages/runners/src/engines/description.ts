// The row of an engine: plain data, so that a Worker, which starts no programs, can read it too.

import type { EngineAgentOptions, EngineInstructions } from '@bridle/agents/engine-agent'
import type { EngineInfo } from '@bridle/kernel/engine-info'
import type { ProviderName } from '../credentials/providers.ts'
import type { EngineMcpServers } from '../mcp/declaration.ts'
import type { EngineSettings, RepositoryUse } from '../protocol/protocol.ts'
import type { EngineModel } from './models.ts'

export interface EngineDescription {
  /** The name of the engine on every wire, and of the agent that it serves. */
  readonly name: string
  readonly title: string
  readonly packageName: string
  readonly provider: ProviderName
  readonly info: (version: string) => EngineInfo
  /** The engine reads and writes the files of a folder: a chat with it in a terminal works on the folder of the terminal. */
  readonly worksOnFiles: boolean
  /** Names of the engine's own tools, which the operator's tools may not have. Absent = unknown. */
  readonly toolNames?: readonly string[]
  /** Some of its models have to search for the tools of MCP servers: their instructions name them. */
  readonly hidesMcpTools?: true
  /** Sessions that name no agent get this one, where its engine can run. */
  readonly isDefaultAgent?: true
  /** The models of the supported version, aliases first. Absent if the list is unknown. */
  readonly models?: readonly EngineModel[]
  /** Reasoning efforts, from little to much. Absent if callers cannot choose. */
  readonly efforts?: readonly string[]
}

/** The operator's settings of an engine. */
export type EngineConfig = EngineSettings & {
  /** The models that the engine may use, `*` for any part of a name; absent = any. */
  readonly models?: readonly string[]
  /** Added to the system prompt of the engine in every turn: a text, or the file that has it. */
  readonly instructions?: EngineInstructions
  /** Whether the engine is given the instructions, skills, sub-agents and commands of its work folder. Default `instructions`. */
  readonly repository?: RepositoryUse
  /** MCP servers for the engine, by name. */
  readonly mcp?: EngineMcpServers
} & Pick<EngineAgentOptions, 'tools'>

export interface EngineConfigs {
  readonly [name: string]: EngineConfig
}

/** The fidelity of an engine that reports all it can. An engine that reports less overrides its rows. */
export const engineEvents: EngineInfo['events'] = {
  session_state: 'derived',
  session_checkpoint: 'derived',
  policy_decision: 'native',
  hook_event: 'native',
  sandbox_notice: 'derived',
  transport_diagnostic: 'native',
  subagent_event: 'native',
  turn_start: 'derived',
  turn_start_tools: 'native',
  token: 'native',
  response: 'native',
  thinking: 'native',
  reflection: 'none',
  tool_call: 'native',
  tool_result: 'native',
  tool_outcome: 'native',
  tool_batch: 'native',
  tool_selected: 'none',
  tool_validation_error: 'derived',
  context_warning: 'derived',
  context_compacted: 'native',
  step_progress: 'none',
  usage: 'native',
  retrieval: 'none',
  antahkarana: 'none',
  approval_required: 'native',
  approval_applied: 'native',
  turn_end: 'native',
  completed: 'native',
  error: 'native',
}
