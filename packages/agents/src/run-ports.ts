// The ports of an agent's run: the parts of the host that it works with.
import type { Key } from '@bridle/kernel/event'
import type { ChildSessions } from '@bridle/kernel/ports/child-sessions'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { LanguageModel } from './model/model.ts'
import type { ModelResolver } from './model/model-choice.ts'
import type { SkillFolders } from './skills/skill.ts'
import type { RunTracer } from './trace/trace.ts'

/** Code of an agent has thrown. The log and callers get the message alone; this has the stack. */
export interface AgentFailure {
  /** The session: tenant, agent and id. */
  readonly key: Key
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The thrown value. */
  readonly error: unknown
  /** The tool of a model agent that threw; the run continues. Null: the run has failed. */
  readonly tool: string | null
}

export interface AgentRunPorts {
  readonly clock: Clock
  readonly digest: Digest
  /** Uploaded files; absent: the target keeps none. */
  readonly uploads?: Pick<Uploads, 'read'>
  /** From 0 to below 1, spreads retries over time; absent: Math.random. */
  readonly random?: () => number
  /** Finds models by their names; absent: agents pass objects only. */
  readonly resolveModel?: ModelResolver
  /** The reason why a model of this name cannot be asked, as a sentence; null: none that can be seen before. */
  readonly missingModel?: (name: string) => string | null
  /** The model that answers a spoken prompt of a session aloud; null: the session has no voice line, and the agent's own model writes. */
  readonly voiceModel?: (key: Key) => LanguageModel | null
  /** Sessions of other agents that do tasks of a run; absent: no agent can ask another one. */
  readonly children?: ChildSessions
  /** Records spans of model agents; absent: no spans are recorded. */
  readonly trace?: RunTracer
  /** Reads folders of skills; absent: the target has no files. */
  readonly skillFolders?: (folders: readonly string[]) => SkillFolders
  /** Receives what code of an agent throws; absent: it is dropped. */
  readonly onFailure?: (failure: AgentFailure) => void
}
