// A changed file: its lines before and after.
import type { WorkspaceChange } from 'bridle/client'
import { bytesText } from 'bridle/words'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { Code } from '../../ui/code.tsx'
import { LineDiff } from '../../ui/diff/line-diff.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSession } from '../session-context.tsx'

export const FileDiff = ({ change }: { readonly change: WorkspaceChange }) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const { path, status } = change
  const { data, error } = useLoaded(`${id} ${agent} ${status} ${path}`, async () => {
    const [before, after] = await Promise.all([
      status === 'added' ? null : client.workspaceFile(id, path, { version: 'source', agent }),
      status === 'deleted' ? null : client.workspaceFile(id, path, { version: 'current', agent }),
    ])
    return { before, after }
  })
  if (error) return <p className="small danger">{visibleText(error.message)}</p>
  if (!data) return <Skeleton rows={2} />
  const { before, after } = data
  if (before?.is_binary || after?.is_binary)
    return <p className="small t3">No text, {bytesText(after?.size ?? before?.size ?? 0)}.</p>
  // The server keeps no content of a source that it can no longer read: the file as it is now is better than nothing.
  if (before && before.text === null)
    return (
      <>
        <p className="small t3">The source is not kept. This is the file as it is now.</p>
        {after?.text != null && <Code text={after.text} label={visibleText(path)} />}
      </>
    )
  const isCut = before?.truncated === true || after?.truncated === true
  return (
    <LineDiff
      before={before?.text ?? ''}
      after={after?.text ?? ''}
      label={visibleText(path)}
      {...(isCut && { note: 'Only the beginning of the file is compared.' })}
    />
  )
}
