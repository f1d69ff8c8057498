// The work of a session: its life as a background session, its checkpoints, its artifacts and its files.
import { useSession } from '../session-context.tsx'
import { Artifacts } from './artifacts.tsx'
import { Checkpoints } from './checkpoints.tsx'
import { Lifecycle } from './lifecycle.tsx'
import { Workspace } from './workspace.tsx'
import './background.css'

export const WorkTab = () => {
  const { detail } = useSession()
  const { kind, checkpoints, artifacts, background_artifacts: below, workspace_id: workspace } = detail
  const isEmpty = kind === 'chat' && checkpoints.length + artifacts.length + below.length === 0 && workspace === null
  if (isEmpty) return <p className="insp-empty small t3">No checkpoints, artifacts or files so far.</p>
  return (
    <>
      {kind === 'background' && <Lifecycle />}
      <Checkpoints />
      <Artifacts />
      <Workspace />
    </>
  )
}
