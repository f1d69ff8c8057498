// The dialog before a branch or a replay of an imported session: the prompts of the file in full, the mode, and a choice of files.
import type { SessionDetail } from 'bridle/client'
import { type FormEvent, useState } from 'react'
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { noFiles, workspaceRequest } from '../sessions/new-session/files-choice.ts'
import { FilesFields } from '../sessions/new-session/files-fields.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import type { Continuation } from './confirmation.ts'
import { ImportedPrompts } from './imported-prompts.tsx'
import { modeWords } from './mode-words.ts'
import './imported.css'

interface ConfirmationDialogProps {
  readonly detail: SessionDetail
  readonly onSettle: (confirmed: Continuation | null) => void
}

const ConfirmationDialog = ({ detail, onSettle }: ConfirmationDialogProps) => {
  const { client } = useServer()
  const offer = useLoaded('workspaces', () => client.workspaces())
  const [files, setFiles] = useState(noFiles)
  const { agent, permission_mode: mode, imported_prompts: prompts = [], prompts_digest } = detail
  const confirm = (event: FormEvent): void => {
    event.preventDefault()
    onSettle({
      workspace: workspaceRequest(files) ?? { mode: 'none' },
      ...(prompts_digest !== undefined && { prompts_digest }),
    })
  }
  return (
    <Dialog title="Imported session" look="wide" onClose={() => onSettle(null)}>
      <form className="dialog-b col imported" onSubmit={confirm}>
        <p className="row imported-note">
          <Icon name="triangle-alert" size={16} />
          <span>
            <b className="medium">This session comes from a file.</b>{' '}
            <span className="t2">Read its prompts before they go to the agent.</span>
          </span>
        </p>
        <ImportedPrompts prompts={prompts} />
        <dl className="imported-facts">
          <div>
            <dt className="small t2">Agent</dt>
            <dd>{visibleText(agent)}</dd>
          </div>
          <div>
            <dt className="small t2">Mode</dt>
            <dd>{modeWords(mode)}</dd>
          </div>
          {offer.data && offer.data.modes.length > 0 ? (
            <FilesFields offer={offer.data} files={files} onChange={setFiles} />
          ) : (
            <div>
              <dt className="small t2">Files</dt>
              <dd>none</dd>
            </div>
          )}
        </dl>
        <div className="row">
          <Button type="submit" look="primary">
            Confirm and continue
          </Button>
          <Button look="ghost" onClick={() => onSettle(null)}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export default ConfirmationDialog
