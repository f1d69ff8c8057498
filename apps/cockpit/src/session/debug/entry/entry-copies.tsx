// The selected entry elsewhere: as JSON, as a path, as a request, as a link, and as the place where a branch leaves.
import type { LogEntry } from 'bridle/history'
import { curlText } from '../../../actions/copy-as/curl.ts'
import { useAction } from '../../../actions/use-action.ts'
import { basePath } from '../../../server/address.ts'
import { useServer } from '../../../server/server-context.tsx'
import { useCanBranch } from '../../../server/use-can.ts'
import { DEBUG_VIEW, sessionPath } from '../../../shell/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { jsonText } from '../../../ui/code.tsx'
import { copyText } from '../../../ui/copy-text.ts'
import { useBranchAt } from '../../past/use-branch-here.ts'
import { useSession } from '../../session-context.tsx'
import { pathText, type TreePath } from '../tree/tree-path.ts'

export const EntryCopies = ({ entry, path }: { readonly entry: LogEntry; readonly path: TreePath }) => {
  const { options } = useServer()
  const { id, agent } = useSession()
  const { isBusy, branchAt } = useBranchAt()
  const canBranch = useCanBranch()
  const { seq } = entry
  const detail = { detail: `event ${seq}` }
  const copyJson = () => copyText(jsonText(entry), 'The event is copied as JSON.')
  const copyPath = () => copyText(pathText(path), 'The path is copied.')
  const copyLink = () => {
    const address = sessionPath({ id, agent }, { view: DEBUG_VIEW, event: String(seq) })
    return copyText(new URL(`${basePath.replace(/\/$/, '')}${address}`, location.href).href, 'The link is copied.')
  }
  const copyCurl = () => {
    const query = new URLSearchParams({ agent, after: String(seq - 1), limit: '1' })
    const request = { method: 'GET', path: `sessions/${encodeURIComponent(id)}/log?${query}` }
    const { url: serverUrl, authToken, tenantId } = options
    return copyText(curlText(request, { serverUrl, hasToken: authToken !== undefined, tenantId }), 'Copied as curl.')
  }
  const branchHere = () => branchAt(seq)
  useAction('debug.copy_json', copyJson, detail)
  useAction('debug.copy_path', copyPath, { detail: pathText(path) })
  useAction('debug.copy_link', copyLink, detail)
  useAction('debug.copy_curl', copyCurl, detail)
  useAction('debug.branch', canBranch ? branchHere : null, detail)
  return (
    <div className="debug-copies">
      <Button look="ghost" icon="copy" title="Copy the event as JSON" onClick={() => void copyJson()}>
        JSON
      </Button>
      <Button look="ghost" icon="copy" title={`Copy ${pathText(path)}`} onClick={() => void copyPath()}>
        Path
      </Button>
      <Button look="ghost" icon="copy" title="Copy as curl" onClick={() => void copyCurl()}>
        curl
      </Button>
      <Button look="ghost" icon="link" title="Copy a link to this event" onClick={() => void copyLink()}>
        Link
      </Button>
      {canBranch && (
        <Button icon="git-branch" isBusy={isBusy} onClick={() => void branchHere()}>
          Branch here
        </Button>
      )}
    </div>
  )
}
