// How the files of agents differ from one reading to the next.
import type { AgentDefinition } from '../../agents/agent.ts'
import type { AgentFile, BrokenAgentFile } from './folder.ts'

/** A file of an agent as it is from now on. */
export interface AgentFileChange extends Pick<BrokenAgentFile, 'file' | 'name' | 'frame'> {
  /** A `broken` file has a problem; a `mended` one had one before. */
  readonly state: 'added' | 'changed' | 'mended' | 'broken' | 'removed'
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
  const changes: AgentFileChange[] = []
  for (const [file, now] of after) {
    const last = before.get(file)
    const { name } = now
    if (isBroken(now)) {
      if (!last || !isBroken(last) || problemText(last) !== problemText(now)) changes.push({ ...now, state: 'broken' })
    } else if (last !== now)
      changes.push({ file, name, state: !last ? 'added' : isBroken(last) ? 'mended' : 'changed' })
  }
  for (const [file, { name }] of before) if (!after.has(file)) changes.push({ file, name, state: 'removed' })
  return changes
}

const isBroken = (state: AgentDefinition | BrokenAgentFile): state is BrokenAgentFile => 'problem' in state

const problemText = ({ problem, frame = '' }: BrokenAgentFile): string => `${problem}\n${frame}`
