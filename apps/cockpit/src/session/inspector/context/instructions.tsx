// The texts of the repository that the engine was given, and what of them had no effect.
import { bytesText, capitalized, plural } from 'bridle/words'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { EventLink } from '../event-link.tsx'
import { instructionFacts } from './instruction-facts.ts'

export const Instructions = () => {
  const { instructions } = useSession().detail
  if (!instructions) return null
  const { files, leftOut, ignored } = instructionFacts(instructions)
  return (
    <section className="sec" aria-label="Instructions">
      <h2>
        Instructions<span className="t3">{files.length}</span>
        <span className="right">
          <EventLink id={instructions.event_id} />
        </span>
      </h2>
      {files.length === 0 && <p className="t3 small">No text of the repository is loaded.</p>}
      <ul className="col small">
        {files.map(({ path, kind, bytes, digest }) => (
          <li key={path} className="row" title={digest}>
            <span className="trunc">{visibleText(path)}</span>
            <span className="t3 nowrap right">
              {visibleText(capitalized(kind))}, {bytesText(bytes)}
            </span>
          </li>
        ))}
      </ul>
      {leftOut.map(({ path, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <p key={index} className="notice small">
          <span className="warn medium">Left out</span> {visibleText(path)} {visibleText(reason)}
        </p>
      ))}
      {ignored.length > 0 && (
        <details className="small">
          <summary className="t3">{plural(ignored.length, 'file')} with settings that have no effect</summary>
          <ul className="col">
            {ignored.map(({ path, keys }) => (
              <li key={path}>
                {visibleText(path)} <span className="t3">{visibleText(keys.join(', ') || 'the whole file')}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
