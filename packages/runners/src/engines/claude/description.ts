// Claude Code as every target knows it: its package, its events and features, and where it deviates.
import type { EngineInfo } from '@bridle/kernel/engine-info'
import { type EngineDescription, engineEvents } from '../description.ts'
import type { EngineModel } from '../models.ts'

export const claudeInfo = (version: string): EngineInfo => ({
  name: 'claude',
  version,
  events: engineEvents,
  features: {
    resume: true,
    fork: true,
    steer: true,
    interrupt: true,
    editedInput: true,
    intentFirst: true,
    cost: true,
  },
  notes: [
    'tool_outcome: a timeout is told from other errors by the words of its result.',
    'usage: each model step with the cost of a price table; the last of a turn corrects it with what the engine says.',
    "context_compacted: message counts by the engine's own transcript.",
    'Agents that it delegates to run in the foreground of the turn.',
    'Instructions, skills, sub-agents and commands of the work folder are text. Its settings have no effect: a repository cannot allow itself anything.',
  ],
})

/** The current models of version 0.3.325 of the SDK. */
export const claudeModels: readonly EngineModel[] = [
  { id: 'sonnet', title: 'Claude Sonnet, the newest', family: 'claude-sonnet-*' },
  { id: 'opus', title: 'Claude Opus, the newest', family: 'claude-opus-*' },
  { id: 'haiku', title: 'Claude Haiku, the newest', family: 'claude-haiku-*' },
  { id: 'claude-opus-5-5', title: 'Claude Opus 5.5' },
  { id: 'claude-opus-5', title: 'Claude Opus 5' },
  { id: 'claude-sonnet-5-5', title: 'Claude Sonnet 5.5' },
  { id: 'claude-sonnet-5', title: 'Claude Sonnet 5' },
  { id: 'claude-haiku-5-5', title: 'Claude Haiku 5.5' },
  { id: 'claude-haiku-4-5', title: 'Claude Haiku 4.5' },
]

export const claudeDescription = {
  name: 'claude',
  title: 'Claude Code',
  packageName: '@anthropic-ai/claude-agent-sdk',
  provider: 'anthropic',
  info: claudeInfo,
  worksOnFiles: true,
  toolNames: [
    ...['Agent', 'Artifact', 'AskUserQuestion', 'Bash', 'BashOutput', 'Edit', 'EnterPlanMode', 'EnterWorktree'],
    ...['ExitPlanMode', 'ExitWorktree', 'Glob', 'Grep', 'KillShell', 'LS', 'ListMcpResourcesTool', 'MultiEdit'],
    ...['NotebookEdit', 'NotebookRead', 'Read', 'ReadMcpResourceTool', 'SendMessage', 'Skill', 'SlashCommand', 'Task'],
    ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate', 'TodoWrite', 'ToolSearch'],
    ...['WebFetch', 'WebSearch', 'Workflow', 'Write'],
  ],
  isDefaultAgent: true,
  models: claudeModels,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
} as const satisfies EngineDescription
