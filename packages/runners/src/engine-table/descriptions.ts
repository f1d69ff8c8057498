// The one table of engines. A further engine is a folder beside the others, a row here, and its constructor in registry.ts.
import { claudeDescription } from '../engines/claude/description.ts'
import { codexDescription } from '../engines/codex/description.ts'
import type { EngineDescription } from '../engines/description.ts'

const table = [claudeDescription, codexDescription] as const

export type EngineName = (typeof table)[number]['name']

export const engineDescriptions: readonly EngineDescription[] = table

/** The agent of sessions that name none, while its engine can run. */
export const defaultEngineAgent = engineDescriptions.find(({ isDefaultAgent }) => isDefaultAgent)?.name
