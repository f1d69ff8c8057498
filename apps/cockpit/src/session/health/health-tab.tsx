// The health of a session: why its score is what it is, its budgets, what helps, and who decided what.
import { HEALTH_FLAGS } from 'bridle/words'
import { useState } from 'react'
import { useAction } from '../../actions/use-action.ts'
import { useCan, useOffReason } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { useSelection } from '../inspector/use-selection.ts'
import { useSession } from '../session-context.tsx'
import { Audit } from './audit.tsx'
import { Budgets } from './budgets.tsx'
import { Plots } from './plots.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { RecoveryButton } from './recovery-button.tsx'
import { RaisedFlags, Score, ScoreRing } from './score.tsx'
import './health.css'

export const HealthTab = () => (useSelection().isWide ? <WideHealth /> : <NarrowHealth />)

const NarrowHealth = () => {
  const { health } = useSession().detail
  const [isEditing, setEditing] = useState(false)
  const canOperate = useCan('operate')
  useAction('policy.edit', canOperate && !isEditing ? () => setEditing(true) : null)
  const offReason = useOffReason()
  return (
    <>
      <section className="sec" aria-label="Score">
        <Score health={health} />
        {health.recovery_hint && <RecoveryButton hint={health.recovery_hint} />}
      </section>
      <section className="sec" aria-label="Budgets">
        <Budgets health={health} />
        {isEditing ? (
          <PolicyEditor onClose={() => setEditing(false)} />
        ) : (
          <Button
            look="ghost"
            icon="sliders-horizontal"
            isDisabled={!canOperate}
            {...(!canOperate && { title: offReason })}
            onClick={() => setEditing(true)}
          >
            {health.budget_pressure.budgets.length === 0 ? 'Set a budget' : 'Edit policy'}
          </Button>
        )}
      </section>
      <section className="sec" aria-label="Over time">
        <Plots place="column" />
      </section>
      <section className="sec audit-sec" aria-label="Audit">
        <Audit />
      </section>
    </>
  )
}

const WideHealth = () => {
  const { health } = useSession().detail
  const canOperate = useCan('operate')
  const quiet = HEALTH_FLAGS.filter((flag) => !health.flags.includes(flag))
  return (
    <div className="hp">
      <section aria-label="Score">
        <div className="row">
          <ScoreRing score={health.score} />
          <RaisedFlags flags={health.flags} />
        </div>
        <Score health={health} />
        <h2 className="h3">Not raised</h2>
        <p className="small t3">{quiet.join(', ')}</p>
        {health.recovery_hint && (
          <>
            <h2 className="h3">What helps</h2>
            <RecoveryButton hint={health.recovery_hint} />
          </>
        )}
      </section>
      <section aria-label="Budgets">
        <Budgets health={health} />
      </section>
      <section>{canOperate && <PolicyEditor />}</section>
      <section className="full" aria-label="Over time">
        <Plots place="page" />
      </section>
      <section className="full" aria-label="Audit">
        <Audit />
      </section>
    </div>
  )
}
