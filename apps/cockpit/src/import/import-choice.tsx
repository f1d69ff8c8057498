// The two ways on: a replay in this browser, or a session on the server.
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { modeWords } from '../imported/mode-words.ts'
import { REPLAY_PATH } from '../shell/pages.ts'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { modeOf } from './changes.ts'
import type { FileFacts } from './file-facts.ts'
import type { Import } from './use-import.ts'

interface ImportChoiceProps {
  readonly facts: FileFacts
  readonly agents: readonly string[]
  readonly state: Import
}

const WAYS = [
  { way: 'replay', word: 'Replay', about: 'Read only, in this browser. Nothing is stored.' },
  { way: 'session', word: 'Session', about: 'Stored on the server. You can branch and continue.' },
] as const

export const ImportChoice = ({ facts, agents, state }: ImportChoiceProps) => {
  const [, navigate] = useLocation()
  const [way, setWay] = useState<'replay' | 'session'>('replay')
  const { isForbidden, isChecking, isBusy, receipt, problem, renames, setRenames, start } = state
  const isKnown = receipt?.sessions.every(({ existing }) => existing) ?? false
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (way === 'replay') navigate(REPLAY_PATH)
    else void start()
  }
  return (
    <form className="panel-c import-choice" aria-label="Import as" onSubmit={submit}>
      <header className="row">
        <h2>Import as</h2>
      </header>
      <div className="col import-ways" role="radiogroup" aria-label="Import as">
        {WAYS.map((each) => (
          <label key={each.way} className={way === each.way ? 'import-way on' : 'import-way'}>
            <input
              type="radio"
              name="import-as"
              checked={way === each.way}
              disabled={isBusy || (each.way === 'session' && isForbidden)}
              onChange={() => setWay(each.way)}
            />
            <span className="col">
              <span className="medium">{each.word}</span>
              <span className="small t2">{each.about}</span>
            </span>
          </label>
        ))}
      </div>
      {isForbidden && <p className="small t2">Your credential may not import: that needs operate and approve.</p>}
      {way === 'session' && <SessionFacts facts={facts} agents={agents} />}
      {way === 'session' && (problem?.isTaken || renames) && (
        <label className="row">
          <input type="checkbox" checked={renames} disabled={isBusy} onChange={() => setRenames(!renames)} />
          Give a session whose id is taken another id
        </label>
      )}
      <div className="row">
        {way === 'replay' ? (
          <Button type="submit" look="primary" icon="play" isLarge>
            Open replay
          </Button>
        ) : (
          <Button
            type="submit"
            look="primary"
            icon="upload"
            isLarge
            isBusy={isBusy || isChecking}
            isDisabled={receipt === null}
          >
            {isKnown ? 'Open session' : 'Import session'}
          </Button>
        )}
        <Link className="btn lg" href="/">
          Cancel
        </Link>
      </div>
    </form>
  )
}

const SessionFacts = ({ facts, agents }: Pick<ImportChoiceProps, 'facts' | 'agents'>) => {
  const { isPlan, claimed } = modeOf(facts)
  return (
    <dl className="col import-facts">
      <div>
        <dt className="small t2">{agents.length === 1 ? 'Agent' : 'Agents'}</dt>
        <dd>{visibleText(agents.join(', '))}</dd>
      </div>
      <div>
        <dt className="small t2">Mode</dt>
        <dd>
          {modeWords(isPlan ? 'plan' : 'normal')}
          {claimed !== null && <span className="small t2"> file: {visibleText(claimed)}</span>}
        </dd>
      </div>
      <div>
        <dt className="small t2">Files</dt>
        <dd>none, until you choose them for a branch</dd>
      </div>
    </dl>
  )
}
