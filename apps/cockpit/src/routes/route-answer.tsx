import { bytesText, durationText, plural } from 'bridle/words'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { prettyText } from '../ui/pretty-text.ts'
import type { RouteCall } from './use-route-call.ts'

interface RouteAnswerViewProps {
  readonly call: RouteCall
  readonly onStop: () => void
}

/** The answer: status, time, headers, and what it says. A stream shows its messages as they come. */
export const RouteAnswerView = ({ call, onStop }: RouteAnswerViewProps) => {
  const { answer, error, isOpen, frames, frameCount } = call
  if (error !== '')
    return (
      <p className="danger" role="alert">
        {visibleText(error)}
      </p>
    )
  if (!answer) return isOpen ? <p className="t3">Waiting for the answer</p> : null
  const isStream = answer.contentType.startsWith('text/event-stream')
  return (
    <section className="card route-answer" aria-label="Answer">
      <header>
        <span className={`tag status ${answer.status < 400 ? 'ok' : 'danger'}`}>
          {answer.status} {visibleText(answer.statusText)}
        </span>
        <span className="small t3 num">{durationText(answer.ms)}</span>
        {answer.size > 0 && <span className="small t3 num">{bytesText(answer.size)}</span>}
        {isStream && <span className="small t3">{plural(frameCount, 'message')}</span>}
        {isStream && isOpen && (
          <span className="right">
            <Button icon="square" onClick={onStop}>
              Stop
            </Button>
          </span>
        )}
      </header>
      <details className="route-headers">
        <summary className="small t2">{plural(answer.headers.length, 'header')}</summary>
        <dl className="mono small">
          {answer.headers.map(([name, value]) => (
            <div key={name}>
              <dt className="t3">{name}</dt>
              <dd>{visibleText(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
      {answer.text !== null && answer.text !== '' && <Code text={answer.text} label={answer.contentType} />}
      {answer.isCut && <p className="small t3 route-note">The rest is cut: the address gives all of it.</p>}
      {answer.text === null && !isStream && answer.size > 0 && (
        <p className="small t3 route-note">Bytes of the type {visibleText(answer.contentType) || 'unknown'}.</p>
      )}
      {frames.map((frame) => (
        <Code
          key={frame.number}
          text={prettyText(frame.data)}
          label={[frame.event === 'message' ? '' : frame.event, frame.id === '' ? '' : `id ${frame.id}`]
            .join(' ')
            .trim()}
        />
      ))}
    </section>
  )
}
