// The files that a session works on: those that it changed, then all of them, folder by folder.
import type { WorkspaceChange, WorkspaceReport } from 'bridle/client'
import { plural } from 'bridle/words'
import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { useSession } from '../session-context.tsx'
import { FileDiff } from './file-diff.tsx'
import { Folder } from './folder.tsx'

export const Workspace = () => {
  const { client } = useServer()
  const { id, agent, detail, past } = useSession()
  const hasWorkspace = detail.workspace_id !== null
  const key = hasWorkspace && !past ? `${id} ${agent}` : null
  const { data, error, reload } = useLoaded(key, () => client.workspace(id, agent))
  if (!hasWorkspace) return null
  if (past)
    return (
      <section className="sec" aria-label="Workspace">
        <h2>Workspace</h2>
        <p className="small t3">Files are not in the log: nobody knows how they were at this event.</p>
      </section>
    )
  return (
    <section className="sec" aria-label="Workspace">
      <h2>
        Workspace
        <span className="t3">{data && data.changes.length > 0 ? plural(data.changes.length, 'change') : ''}</span>
        <span className="right">
          <Button look="ghost" icon="rotate-cw" onClick={reload}>
            Look again
          </Button>
        </span>
      </h2>
      {error && <p className="small danger">{visibleText(error.message)}</p>}
      {data && <WorkspaceBody report={data} />}
    </section>
  )
}

const WorkspaceBody = ({ report }: { readonly report: WorkspaceReport }) => {
  const [isOpen, setOpen] = useState(false)
  const { changes, is_available: isAvailable, is_compared: isCompared, reason, source, truncated } = report
  return (
    <>
      {source !== null && (
        <p className="small t3">
          {report.mode}, from <code>{visibleText(source)}</code>
        </p>
      )}
      {reason !== undefined && <p className="small t2">{visibleText(reason)}</p>}
      {isCompared && changes.length === 0 && <p className="small t3">No file differs from the source.</p>}
      <ul className="col small">
        {changes.map((change) => (
          <ChangeItem key={change.path} change={change} />
        ))}
      </ul>
      {truncated && <p className="small t3">There may be more changes than these.</p>}
      {isAvailable && (
        <Button look="ghost" icon="folder" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the files' : 'All files'}
        </Button>
      )}
      {isOpen && <Folder path="" />}
    </>
  )
}

const signs = { added: 'A', modified: 'M', deleted: 'D' } as const
const tones = { added: 'ok', modified: 'warn', deleted: 'danger' } as const

const ChangeItem = ({ change }: { readonly change: WorkspaceChange }) => {
  const [isOpen, setOpen] = useState(false)
  const { path, status, additions, deletions, kind } = change
  return (
    <li>
      <button type="button" className="row work-row open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
        <span className={`mono ${tones[status]}`} title={status}>
          <span aria-hidden="true">{signs[status]}</span>
          <span className="vh">{status}</span>
        </span>
        <span className="trunc mono">{visibleText(path)}</span>
        {additions !== null && deletions !== null && (
          <span className="right nowrap num">
            <span className="ok">+{additions}</span> <span className="danger">−{deletions}</span>
          </span>
        )}
      </button>
      {isOpen &&
        (kind === 'folder' ? <p className="t3">A folder that is not looked into.</p> : <FileDiff change={change} />)}
    </li>
  )
}
