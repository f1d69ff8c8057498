// Claude Code as every target knows it: its package, its events and features, and where it deviates.
import type { EngineInfo } from '@bridle/kernel/engine-info'
import { type EngineDescription, engineEvents } from '../description.ts'

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

export const claudeDescription = {
  name: 'claude',
  title: 'Claude Code',
  packageName: '@anthropic-ai/claude-agent-sdk',
  provider: 'anthropic',
  info: claudeInfo,
  worksOnFiles: true,
  isDefaultAgent: true,
} as const satisfies EngineDescription
