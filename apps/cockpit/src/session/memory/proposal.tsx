// A value that the agent proposes for its memory: all of it can be read and changed before somebody accepts it.
import type { ProposalSummary } from 'bridle/client'
import { useId, useState } from 'react'
import { useAction } from '../../actions/use-action.ts'
import { useServer } from '../../server/server-context.tsx'
import { useCan, useOffReason } from '../../server/use-can.ts'
import { useLoaded } from '../../server/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { hasHiddenCharacters, visibleText } from '../../ui/plain-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { useSession } from '../session-context.tsx'
import { decisionOf } from './proposal-decision.ts'

interface ProposalProps {
  readonly proposal: ProposalSummary
  readonly onDecided: () => void
}

export const Proposal = ({ proposal, onDecided }: ProposalProps) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const canOperate = useCan('operate')
  const offReason = useOffReason()
  const off = canOperate ? {} : { isDisabled: true, title: offReason }
  const { data, error: loadError } = useLoaded(proposal.id, async () =>
    (await client.artifact(id, proposal.id, agent)).text(),
  )
  const [key, setKey] = useState<string | null>(null)
  const [value, setValue] = useState<string | null>(null)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const form = useId()
  const proposed = data ?? ''
  const decide = async (decision: 'accept' | 'reject'): Promise<void> => {
    const more =
      decision === 'accept'
        ? decisionOf({ proposal, proposed, key: key ?? proposal.key, value: value ?? proposed })
        : {}
    setBusy(true)
    setProblem('')
    try {
      await client.decideMemory(id, proposal.id, decision, { agent, ...more })
      showToast({ text: decision === 'accept' ? 'The value is in the memory.' : 'The proposal is rejected.' })
      onDecided()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  const canDecide = canOperate && !isBusy
  useAction('memory.accept', canDecide && data !== null ? () => decide('accept') : null, { detail: proposal.key })
  useAction('memory.reject', canDecide ? () => decide('reject') : null, { detail: proposal.key })
  return (
    <form
      className="proposal"
      aria-label={`Proposal ${visibleText(proposal.key)}`}
      onSubmit={(event) => {
        event.preventDefault()
        void decide('accept')
      }}
    >
      <p className="small">
        <b className="medium">The agent wants to remember this.</b>{' '}
        {proposal.reason !== null && <span className="t2">{visibleText(proposal.reason)}</span>}
      </p>
      <label htmlFor={`${form}-key`} className="small t2">
        Key
      </label>
      <span className="field">
        <input
          id={`${form}-key`}
          className="mono"
          value={key ?? proposal.key}
          onChange={(event) => setKey(event.target.value)}
        />
      </span>
      <label htmlFor={`${form}-value`} className="small t2">
        Value
      </label>
      <textarea
        id={`${form}-value`}
        className="value mono"
        rows={4}
        value={value ?? proposed}
        disabled={data === null}
        onChange={(event) => setValue(event.target.value)}
      />
      {hasHiddenCharacters(proposed) && (
        <p className="small warn">It has characters that are not seen: {visibleText(proposed)}</p>
      )}
      {(problem !== '' || loadError) && (
        <p className="small danger" role="alert">
          {visibleText(problem || (loadError?.message ?? ''))}
        </p>
      )}
      <div className="row">
        <Button type="submit" icon="check" isBusy={isBusy} isDisabled={data === null} {...off}>
          {(key ?? proposal.key) === proposal.key && (value ?? proposed) === proposed ? 'Accept' : 'Accept as changed'}
        </Button>
        <Button look="no" icon="x" isDisabled={isBusy} {...off} onClick={() => void decide('reject')}>
          Reject
        </Button>
      </div>
    </form>
  )
}
