// The row of an engine: plain data, so that a Worker, which starts no programs, can read it too.
import type { EngineInfo } from '../../kernel/engine-info.ts'
import type { ProviderName } from '../credentials/providers.ts'
import type { EngineSettings } from '../protocol.ts'

export interface EngineDescription {
  /** The name of the engine on every wire, and of the agent that it serves. */
  readonly name: string
  readonly title: string
  /** The npm package of the engine. */
  readonly packageName: string
  /** The provider whose key the engine needs. */
  readonly provider: ProviderName
  readonly info: (version: string) => EngineInfo
  /** The engine reads and writes the files of a folder: a chat with it in a terminal works on the folder of the terminal. */
  readonly worksOnFiles: boolean
  /** Sessions that name no agent get this one, where its engine can run. */
  readonly isDefaultAgent?: true
}

/** How an operator sets an engine up. */
export type EngineConfig = EngineSettings & {
  /** The models that the engine may use, `*` for any part of a name; absent = any. */
  readonly models?: readonly string[]
}

/** By the name of the engine. */
export interface EngineConfigs {
  readonly [name: string]: EngineConfig
}
