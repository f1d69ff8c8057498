// All ten budgets and what happens when one is crossed. The server's refusal stands beside the field that it is about.
import { FabricError } from 'bridle/client'
import { BUDGET_NAMES, type BudgetName, budgetWords, plural } from 'bridle/words'
import { useId, useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useCan, useOffReason } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { useSession } from '../session-context.tsx'
import {
  budgetOfField,
  changesOf,
  fieldsOf,
  type PolicyFields,
  type PolicyProblems,
  policyOf,
  withoutPath,
} from './policy-form.ts'

export const PolicyEditor = ({ onClose }: { readonly onClose?: () => void }) => {
  const { client } = useServer()
  const { id, agent, detail, reload } = useSession()
  const canOperate = useCan('operate')
  const offReason = useOffReason()
  const saved = fieldsOf(detail.health.policy)
  const [edited, setEdited] = useState<Partial<PolicyFields>>({})
  const [problems, setProblems] = useState<PolicyProblems>({})
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const fields: PolicyFields = { ...saved, ...edited }
  const changes = changesOf(saved, fields)
  const discard = (): void => {
    setEdited({})
    setProblems({})
    setMessage('')
    onClose?.()
  }
  const save = async (): Promise<void> => {
    const made = policyOf(fields)
    setMessage('')
    setProblems('problems' in made ? made.problems : {})
    if ('problems' in made) return
    setBusy(true)
    try {
      await client.setPolicy(id, made.policy, { agent })
      setEdited({})
      showToast({ text: 'The policy is set.' })
      reload()
      onClose?.()
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      const field = error instanceof FabricError ? error.field : undefined
      const budget = budgetOfField(field)
      if (budget) setProblems({ [budget]: withoutPath(text, field) })
      else setMessage(text)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className="policy"
      aria-label="Policy"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <h2 className="h3">
        Policy<span className="right t3">{changes > 0 && plural(changes, 'change')}</span>
      </h2>
      {BUDGET_NAMES.map((name) => (
        <PolicyField
          key={name}
          name={name}
          value={fields[name]}
          problem={problems[name]}
          onChange={(value) => setEdited((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <div className="row">
        <span className="small t2">When crossed</span>
        <fieldset className="seg right">
          <legend className="vh">When crossed</legend>
          {(['request_approval', 'pause'] as const).map((action) => (
            <button
              key={action}
              type="button"
              className={fields.action === action ? 'on' : undefined}
              aria-pressed={fields.action === action}
              onClick={() => setEdited((before) => ({ ...before, action }))}
            >
              {action === 'pause' ? 'Pause' : 'Ask me'}
            </button>
          ))}
        </fieldset>
      </div>
      {message !== '' && (
        <p className="small danger" role="alert">
          {visibleText(message)}
        </p>
      )}
      <div className="row">
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          isDisabled={changes === 0 || !canOperate}
          {...(!canOperate && { title: offReason })}
        >
          Save policy
        </Button>
        <Button look="ghost" onClick={discard} isDisabled={changes === 0 && !onClose}>
          Discard
        </Button>
      </div>
    </form>
  )
}

interface PolicyFieldProps {
  readonly name: BudgetName
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

const PolicyField = ({ name, value, problem, onChange }: PolicyFieldProps) => {
  const field = useId()
  const { label, unit } = budgetWords[name]
  return (
    <div className="policy-row">
      <label htmlFor={field}>{label}</label>
      <span className={problem === undefined ? 'field' : 'field bad'}>
        {unit === '$' && <span>$</span>}
        <input
          id={field}
          value={value}
          inputMode="decimal"
          autoComplete="off"
          placeholder="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${field}-problem`}
          onChange={(event) => onChange(event.target.value)}
        />
        {unit !== '' && unit !== '$' && <span>{unit}</span>}
      </span>
      {problem !== undefined && (
        <p className="problem small danger" id={`${field}-problem`} role="alert">
          {visibleText(problem)}
        </p>
      )}
    </div>
  )
}
