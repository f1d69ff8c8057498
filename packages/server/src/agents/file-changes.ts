// How the files of agents differ from one reading to the next.
import type { AgentDefinition } from '@bridle/agents/agent'
import type { AgentFile, BrokenAgentFile } from './folder.ts'

/** A file of an agent as it is from now on. */
export interface AgentFileChange extends Pick<BrokenAgentFile, 'file' | 'name' | 'frame'> {
  /**
   * A `broken` file has a problem; a `mended` one had one before. With a `removed` file its agent is gone; a `dropped` one is gone
   * and no agent with it: it was broken, or another file has its agent now.
   */
  readonly state: 'added' | 'changed' | 'mended' | 'broken' | 'renamed' | 'removed' | 'dropped'
  /** The earlier file of a renamed one. */
  readonly from?: string
  /** A line about a broken file. */
  readonly problem?: string
}

/** By file: the agent, or the problem with it. */
export type AgentFileStates = ReadonlyMap<string, AgentDefinition | BrokenAgentFile>

/** `broken` are the files that cannot be served, for whatever reason. */
export const fileStates = (found: readonly AgentFile[], broken: readonly BrokenAgentFile[]): AgentFileStates =>
  new Map<string, AgentDefinition | BrokenAgentFile>([
    ...found.flatMap((each) => ('definition' in each ? [[each.file, each.definition] as const] : [])),
    ...broken.map((each) => [each.file, each] as const),
  ])

/** A problem that stays the same is no change. */
export const fileChanges = (before: AgentFileStates, after: AgentFileStates): readonly AgentFileChange[] => {
  const gone = [...before].filter(([file]) => !after.has(file))
  const served = new Set([...after.values()].flatMap((state) => (isBroken(state) ? [] : [state.name])))
  const changes: AgentFileChange[] = []
  const renamed = new Set<string>()
  for (const [file, now] of after) {
    const last = before.get(file)
    const { name } = now
    if (isBroken(now)) {
      if (!last || !isBroken(last) || problemText(last) !== problemText(now)) changes.push({ ...now, state: 'broken' })
    } else if (!last) {
      const from = gone.find(([, earlier]) => !isBroken(earlier) && earlier.name === name)?.[0]
      if (from !== undefined) renamed.add(from)
      changes.push(from === undefined ? { file, name, state: 'added' } : { file, name, state: 'renamed', from })
    } else if (last !== now) changes.push({ file, name, state: isBroken(last) ? 'mended' : 'changed' })
  }
  for (const [file, last] of gone) {
    const { name } = last
    if (renamed.has(file)) continue
    changes.push({ file, name, state: isBroken(last) || served.has(name) ? 'dropped' : 'removed' })
  }
  return changes
}

const isBroken = (state: AgentDefinition | BrokenAgentFile): state is BrokenAgentFile => 'problem' in state

const problemText = ({ problem, frame = '' }: BrokenAgentFile): string => `${problem}\n${frame}`
