// A question to the user. Edited arguments go by our own command: assistant-ui's answer has no place for them.
import { exactJson, exactText, type HarnessApproval } from 'bridle/client'
import { type FormEvent, useState } from 'react'
import { useSession } from './client.tsx'

interface ApprovalFormProps {
  readonly approvalId: string
  readonly reason: string | undefined
  readonly args: object
}

export const ApprovalForm = ({ approvalId, reason, args }: ApprovalFormProps) => {
  const { approve, state, connection } = useSession()
  // Hidden characters are escapes, and edited arguments are still the same JSON.
  const asked = exactJson(args)
  const [text, setText] = useState<string | null>(null)
  const [isSent, setSent] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isEditable = state.approvals?.find(({ id }) => id === approvalId)?.kind === 'tool'

  const answer = async (decision: 'approved' | 'denied') => {
    const edited: ArgumentEdit = decision === 'approved' && text !== null ? parseArgs(text) : {}
    const { problem = null, ...more } = edited
    if (problem !== null) return setProblem(problem)
    setProblem(null)
    setSent(true)
    try {
      await approve(approvalId, decision, more)
    } catch (error) {
      // Nothing is sent later behind the user's back: the buttons are there for another try.
      setProblem((error as Error).message)
      setSent(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void answer('approved')
  }
  return (
    <form className="approval" onSubmit={submit}>
      {reason && <p>{exactText(reason)}</p>}
      {text === null ? (
        <pre>{asked}</pre>
      ) : (
        <textarea
          aria-label="Arguments"
          rows={asked.split('\n').length + 1}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <fieldset className="buttons" disabled={isSent || connection.phase !== 'open'}>
        <button type="submit" className="button primary">
          {text === null ? 'Approve' : 'Approve as edited'}
        </button>
        {isEditable && (
          <button type="button" className="button" onClick={() => setText(text === null ? asked : null)}>
            {text === null ? 'Edit' : 'Undo edit'}
          </button>
        )}
        <button type="button" className="button" onClick={() => void answer('denied')}>
          Deny
        </button>
      </fieldset>
    </form>
  )
}

type ApprovalArguments = NonNullable<HarnessApproval['arguments']>
type ArgumentEdit = { readonly args?: ApprovalArguments; readonly problem?: string }

const parseArgs = (text: string): ArgumentEdit => {
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { args: args as ApprovalArguments }
    return { problem: 'Arguments are a JSON object.' }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
