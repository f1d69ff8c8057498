import type { EngineDescription } from '../description.ts'
import { codexInfo } from './capabilities.ts'

export const codexDescription = {
  name: 'codex',
  title: 'Codex',
  packageName: '@openai/codex',
  provider: 'openai',
  info: codexInfo,
  worksOnFiles: true,
} as const satisfies EngineDescription
