// A folder of the workspace. What is in it is asked for when somebody opens it.
import type { WorkspaceEntry } from 'bridle/client'
import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { Code } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-names.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSession } from '../session-context.tsx'

export const Folder = ({ path }: { readonly path: string }) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const { data, error } = useLoaded(`${id} ${agent} /${path}`, () => client.workspaceFiles(id, path, agent))
  if (error) return <p className="small danger">{visibleText(error.message)}</p>
  if (!data) return <Skeleton rows={2} />
  if (data.entries.length === 0) return <p className="small t3">An empty folder.</p>
  return (
    <ul className="folder col small">
      {data.entries.map((entry) => (
        <EntryItem key={entry.name} entry={entry} path={path === '' ? entry.name : `${path}/${entry.name}`} />
      ))}
      {data.truncated && <li className="t3">The folder has more entries.</li>}
    </ul>
  )
}

const icons: { readonly [kind in WorkspaceEntry['kind']]: IconName } = {
  file: 'list',
  folder: 'folder',
  link: 'link',
  other: 'circle-dashed',
}

const EntryItem = ({ entry, path }: { readonly entry: WorkspaceEntry; readonly path: string }) => {
  const [isOpen, setOpen] = useState(false)
  const { name, kind, size } = entry
  const words = (
    <>
      <Icon name={icons[kind]} size={14} />
      <span className="vh">{kind}</span>
      <span className="trunc mono">{visibleText(name)}</span>
      {size !== null && <span className="right t3 nowrap">{bytesText(size)}</span>}
    </>
  )
  if (kind === 'other') return <li className="row work-row">{words}</li>
  return (
    <li>
      <button type="button" className="row work-row open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words}
      </button>
      {isOpen && (kind === 'folder' ? <Folder path={path} /> : <FileText path={path} />)}
    </li>
  )
}

const FileText = ({ path }: { readonly path: string }) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const { data, error } = useLoaded(`${id} ${agent} ${path}`, () => client.workspaceFile(id, path, { agent }))
  if (error) return <p className="small danger">{visibleText(error.message)}</p>
  if (!data) return <Skeleton rows={2} />
  if (data.text === null) return <p className="small t3">No text, {bytesText(data.size)}.</p>
  return (
    <>
      <Code text={data.text} label={data.kind === 'link' ? 'The target of the link' : visibleText(path)} />
      {data.truncated && <p className="small t3">The file has more text than this.</p>}
    </>
  )
}
