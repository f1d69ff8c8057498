import type { EngineDescription } from '../description.ts'
import { claudeInfo } from './capabilities.ts'

export const claudeDescription = {
  name: 'claude',
  title: 'Claude Code',
  packageName: '@anthropic-ai/claude-agent-sdk',
  provider: 'anthropic',
  info: claudeInfo,
  worksOnFiles: true,
  isDefaultAgent: true,
} as const satisfies EngineDescription
