// The engines that this process can start. No engine's package is loaded before a session is opened.
import { claudeEngine } from '../engines/claude/claude.ts'
import { codexEngine } from '../engines/codex/codex.ts'
import type { EngineDescription } from '../engines/description.ts'
import type { Engine } from '../engines/engine.ts'
import { type EngineName, engineDescriptions } from './descriptions.ts'

/** An engine that this process can start. */
export interface EngineRow extends EngineDescription {
  /** Makes the engine. `env` holds the settings of the engine and the place of its package. */
  readonly create: (env: NodeJS.ProcessEnv) => Engine
}

const constructors: { readonly [name in EngineName]: EngineRow['create'] } = {
  claude: (env) => claudeEngine(env),
  codex: (env) => codexEngine(env),
}

/** All engines that Bridle has. */
export const engineRegistry: readonly EngineRow[] = engineDescriptions.map((description) => ({
  ...description,
  create: constructors[description.name as EngineName],
}))

/** Creates every engine of the table, for a runner; `env` says where their packages are. */
export const createEngines = (env: NodeJS.ProcessEnv, registry = engineRegistry): readonly Engine[] =>
  registry.map(({ create }) => create(env))
