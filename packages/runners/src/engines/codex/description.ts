// Codex as every target knows it: its package, its events and features, and where it deviates.
import type { EngineInfo } from '@bridle/kernel/engine-info'
import { type EngineDescription, engineEvents } from '../description.ts'
import type { EngineModel } from '../models.ts'

export const codexInfo = (version: string): EngineInfo => ({
  name: 'codex',
  version,
  events: {
    ...engineEvents,
    policy_decision: 'derived',
    turn_start_tools: 'none',
    response: 'derived',
    tool_batch: 'none',
    tool_validation_error: 'none',
  },
  features: {
    resume: true,
    fork: true,
    steer: true,
    interrupt: true,
    editedInput: false,
    intentFirst: false,
    cost: true,
  },
  notes: [
    'A command that Codex refuses, or that its own sandbox stops at once, is no item of its thread. It is told from the raw call and its output, as a failed call, after the fact; after a resume Codex sends no raw calls, and such a call is missing. Only the modes that run commands in the sandbox unasked (acceptEdits, dontAsk, plan) have them.',
    'A call is announced before it acts only where it is asked about: in the default mode. Elsewhere a command may have begun when it is told.',
    "A command that was approved and then stopped by Codex's sandbox is run again outside of it, without another question.",
    'An approval cannot change the input: one that does is refused.',
    'tool_outcome has no timeout: Codex does not say that a command took too long.',
    'A command may go on after its turn; its call is then told as ok with { running: true }. An interrupt ends it.',
    'An agent that Codex started is interrupted when the turn ends. Goals, with which it would begin turns by itself, are off.',
    'Instructions, skills, sub-agents and commands of the work folder are text. Its settings have no effect: a repository cannot allow itself anything.',
    'The cost is that of a price table, by the model and its tokens. No budget and no limit of model steps: max_budget_usd and max_turns are not passed on.',
    'context_compacted has no counts.',
  ],
})

/** The models that version 0.166.0 lists, in its order. */
export const codexModels: readonly EngineModel[] = [
  { id: 'gpt-6.1-sol', title: 'GPT-6.1 Sol' },
  { id: 'gpt-6-astra', title: 'GPT-6 Astra' },
  { id: 'gpt-6-sol', title: 'GPT-6 Sol' },
  { id: 'gpt-6-luna', title: 'GPT-6 Luna' },
  { id: 'gpt-5.6-sol', title: 'GPT-5.6 Sol' },
  { id: 'gpt-6.1-terra', title: 'GPT-6.1 Terra' },
  { id: 'gpt-5.6-terra', title: 'GPT-5.6 Terra' },
  { id: 'gpt-5.6-luna', title: 'GPT-5.6 Luna' },
  { id: 'gpt-5.5', title: 'GPT-5.5' },
]

export const codexDescription = {
  name: 'codex',
  title: 'Codex',
  packageName: '@openai/codex',
  provider: 'openai',
  info: codexInfo,
  worksOnFiles: true,
  hidesMcpTools: true,
  models: codexModels,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
  toolNames: [
    ...['apply_patch', 'close_agent', 'exec', 'exec_command', 'image_generation', 'list_mcp_resource_templates'],
    ...['list_mcp_resources', 'read_mcp_resource', 'request_permissions', 'request_user_input', 'send_input', 'shell'],
    ...['sleep', 'spawn_agent', 'tool_search', 'update_plan', 'view_image', 'wait_agent', 'web_search', 'write_stdin'],
  ],
} as const satisfies EngineDescription
