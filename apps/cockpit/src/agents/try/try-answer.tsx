import { Link } from 'wouter'
import { sessionPath } from '../../shell/paths.ts'
import { JsonCode } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { Status } from '../../ui/status.tsx'
import type { TryRun } from './use-try-run.ts'

const statuses = {
  running: 'running',
  waiting: 'awaiting_approval',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const

/** The answer as it comes. Everything else about the run is in its session. */
export const TryAnswer = ({ agent, run }: { readonly agent: string; readonly run: TryRun }) => {
  const { phase, text, tools, result, error } = run.answer
  return (
    <section className="card try-answer" aria-label="Answer">
      <header>
        <Status status={statuses[phase]} />
        <Link className="right" href={sessionPath({ id: run.sessionId, agent })}>
          {phase === 'waiting' ? 'Answer the approval in the session' : 'Open the session'}
        </Link>
      </header>
      <div className="col try-body">
        {tools.map(({ id, name, status }) => (
          <span key={id} className="row small t2">
            <Icon name={status === 'running' ? 'loader-circle' : status === 'ok' ? 'check' : 'x'} size={12} />
            <span className="mono trunc">{visibleText(name)}</span>
          </span>
        ))}
        {text !== '' && <p className="try-text">{visibleText(text)}</p>}
        {error !== '' && (
          <p className="danger try-text" role="alert">
            {visibleText(error)}
          </p>
        )}
        {phase === 'done' && result !== text && result !== null && <JsonCode value={result} label="Result" />}
      </div>
    </section>
  )
}
