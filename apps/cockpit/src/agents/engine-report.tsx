import type { AgentDescription } from 'bridle/client'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'

type Capabilities = NonNullable<AgentDescription['capabilities']>

const featureWords: { readonly [name in keyof Capabilities['features']]: string } = {
  resume: 'goes on after a restart',
  fork: 'branches',
  steer: 'takes prompts in mid-run',
  interrupt: 'can be stopped',
  editedInput: 'runs a call with edited arguments',
  intentFirst: 'announces each call before it acts',
  cost: 'tells its cost',
}

/** The features of an agent's engine, and the events that it does not report. Without a list it reports everything. */
export const EngineReport = ({ capabilities }: { readonly capabilities: Capabilities | undefined }) => {
  if (!capabilities) return <p className="t2">This agent runs in the server and reports everything.</p>
  const events = Object.entries(capabilities.events)
  const missing = events.flatMap(([type, fidelity]) => (fidelity === 'none' ? [type] : []))
  const derived = events.flatMap(([type, fidelity]) => (fidelity === 'derived' ? [type] : []))
  return (
    <div className="col engine-report">
      <ul className="features">
        {Object.entries(featureWords).map(([name, word]) => {
          const isThere = capabilities.features[name as keyof Capabilities['features']]
          return (
            <li key={name} className={`row small ${isThere ? 't2' : 't3'}`}>
              <Icon name={isThere ? 'check' : 'minus'} size={12} />
              {isThere ? word : `no: ${word}`}
            </li>
          )
        })}
      </ul>
      {missing.length > 0 && <EventTypes label="Never reported" types={missing} />}
      {derived.length > 0 && <EventTypes label="Concluded from other reports" types={derived} />}
      {capabilities.notes.map((note) => (
        <p key={note} className="small t2">
          {visibleText(note)}
        </p>
      ))}
    </div>
  )
}

const EventTypes = ({ label, types }: { readonly label: string; readonly types: readonly string[] }) => (
  <p className="small t2">
    {label}: <span className="mono t3">{types.join(', ')}</span>
  </p>
)
