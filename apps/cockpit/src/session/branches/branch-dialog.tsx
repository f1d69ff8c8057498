// A branch from any event: what it should do, if something, and its title.
import { type FormEvent, useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { CANNOT_OPERATE, useCanBranch } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { eventIdAt, useOpenBranch } from '../use-open-branch.ts'

/** An event of a session to branch from. */
export interface BranchOrigin {
  readonly id: string
  readonly agent: string
  readonly title: string
  readonly seq: number
}

interface BranchDialogProps {
  readonly origin: BranchOrigin
  readonly onClose: () => void
}

export const BranchDialog = ({ origin, onClose }: BranchDialogProps) => {
  const { client } = useServer()
  const canOperate = useCanBranch()
  const [prompt, setPrompt] = useState('')
  const [title, setTitle] = useState('')
  const [problem, setProblem] = useState('')
  const { isBusy, open } = useOpenBranch()
  const branch = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setProblem('')
    const { id, agent, seq } = origin
    const make = async (): Promise<string> => {
      const { incarnation } = await client.log(id, { agent, limit: 1, content: 'none' })
      const made = await client.branch(id, {
        ...{ agent, from_event_id: eventIdAt(seq, incarnation) },
        ...(prompt.trim() !== '' && { prompt }),
        ...(title.trim() !== '' && { title }),
      })
      return made.id
    }
    await open(make, agent, {
      words: `This is the branch from event ${seq}. The session that it comes from stays as it is.`,
      onError: (error) => setProblem(error instanceof Error ? error.message : String(error)),
    })
  }
  return (
    <Dialog title={`Branch from event ${origin.seq}`} onClose={onClose}>
      <form className="dialog-b col branch-form" onSubmit={(event) => void branch(event)}>
        <p className="t2">
          A new session with everything that “{visibleText(origin.title)}” had after event {origin.seq}. The session
          itself stays as it is.
        </p>
        <label className="col">
          <span className="small t2">Prompt (default: the branch waits for one)</span>
          <textarea
            className="field area"
            rows={3}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        </label>
        <label className="col">
          <span className="small t2">Title (default: that of the session)</span>
          <input className="field" value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>
        {problem !== '' && (
          <p className="danger" role="alert">
            {visibleText(problem)}
          </p>
        )}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            icon="git-branch"
            isBusy={isBusy}
            isDisabled={!canOperate}
            {...(!canOperate && { title: CANNOT_OPERATE })}
          >
            Branch
          </Button>
          <Button look="ghost" onClick={onClose}>
            Discard
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
