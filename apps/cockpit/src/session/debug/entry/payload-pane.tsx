import type { LogEntry } from 'bridle/history'
import { Code } from '../../../ui/code.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { payloadSections } from './payload-sections.ts'

/** Arguments, results, summaries and diagnostics as somebody reads them. */
export const PayloadPane = ({ entry }: { readonly entry: LogEntry }) => {
  if (entry.withheld)
    return <p className="small t3">The server withholds what this event says: only the run itself needs it.</p>
  return payloadSections(entry).map(({ title, facts, texts }) => (
    <section key={title} className="payload-sec">
      {title !== '' && <h3 className="h3">{visibleText(title)}</h3>}
      {facts.length > 0 && (
        <dl className="payload-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{visibleText(name)}</dt>
              <dd>{visibleText(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {texts.map(([name, text]) => (
        <Code key={name} text={text} label={name} />
      ))}
    </section>
  ))
}
