import type { AgentDefinition } from '@bridle/agents/agent'
import type { AgentFile, BrokenAgentFile } from './folder.ts'

/** Change to an agent file. */
export interface AgentFileChange extends Pick<BrokenAgentFile, 'file' | 'name' | 'frame'> {
  /** State of the file. `dropped`: gone without losing an agent, because it was broken or another file now defines the agent. */
  readonly state: 'added' | 'changed' | 'mended' | 'broken' | 'renamed' | 'removed' | 'dropped'
  /** Previous path of a renamed file. */
  readonly from?: string
  /** Problem of a broken file, on a single line. */
  readonly problem?: string
}

export type AgentFileStates = ReadonlyMap<string, AgentDefinition | BrokenAgentFile>

/** `broken`: files that cannot be served, for any reason. */
export const fileStates = (found: readonly AgentFile[], broken: readonly BrokenAgentFile[]): AgentFileStates =>
  new Map<string, AgentDefinition | BrokenAgentFile>([
    ...found.flatMap((each) => ('definition' in each ? [[each.file, each.definition] as const] : [])),
    ...broken.map((each) => [each.file, each] as const),
  ])

/** An unchanged problem is not a change. */
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
