// Each change publishes a new version of the same artifact, so the newest shows the progress without the log.
import type { PreparedArtifact } from '../../commands.ts'
import { truncate } from '../../text/truncate.ts'
import { publishArtifact } from '../artifacts.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

/** Truncates the prompt that a task graph shows as its goal. */
const GOAL_CHARS_MAX = 2_000

export type WorkStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'

export interface TaskGraphInput {
  readonly sessionId: string
  readonly workspaceId: string
  readonly goal: string
}

export const taskGraphId = (sessionId: string): string => `tg-${sessionId}`

export const taskGraph = ({ sessionId, workspaceId, goal }: TaskGraphInput, work: WorkStatus): PreparedArtifact => ({
  name: 'task-graph.json',
  kind: 'task_graph',
  contentType: 'application/json',
  text: JSON.stringify({
    task_graph_id: taskGraphId(sessionId),
    session_id: sessionId,
    workspace_id: workspaceId,
    goal: truncate(goal, GOAL_CHARS_MAX),
    nodes: [
      { id: 'prepare', title: 'Prepare the workspace', status: 'completed', depends_on: [] },
      { id: 'work', title: 'Do the work in the workspace', status: work, depends_on: ['prepare'] },
      {
        id: 'report',
        title: 'Leave the output and the record of the run',
        // The report task starts and ends when the work is done.
        status: work === 'running' ? 'pending' : work,
        depends_on: ['work'],
      },
    ],
  }),
})

/** Only in sessions that have a task graph. Its goal is the prompt of the run. */
export const publishTaskGraph = (w: DecisionBuilder, work: WorkStatus): void => {
  const { settings, run, queue } = w.state.lifecycle
  const { workspace_id: workspaceId, task_graph_id: graphId } = settings
  if (typeof workspaceId !== 'string' || typeof graphId !== 'string') return
  const goal = run?.text ?? queue[0]?.text ?? ''
  publishArtifact(w, taskGraph({ sessionId: w.key.id, workspaceId, goal }, work))
}
