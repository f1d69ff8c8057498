// The sources that the agent named. A link is one only where its address is of the web.
import type { ChatSession } from 'bridle/client'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { EventLink } from '../event-link.tsx'

type Citation = ChatSession['citations'][number]

export const Citations = () => {
  const { citations } = useSession().detail
  if (citations.length === 0) return null
  return (
    <section className="sec" aria-label="Citations">
      <h2>
        Citations<span className="t3">{citations.length}</span>
      </h2>
      <ol className="cites col small">
        {citations.map((citation, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: citations stay in their order
          <li key={`${citation.event_id} ${index}`}>
            <CitationRow citation={citation} number={index + 1} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const CitationRow = ({ citation, number }: { readonly citation: Citation; readonly number: number }) => {
  const [title, url, id, source, path] = ['title', 'url', 'id', 'source', 'path'].map((name) => textOf(citation[name]))
  const place = url ?? source ?? path
  const name = title ?? place ?? id ?? JSON.stringify(citation)
  return (
    <>
      <span className="cite">{number}</span> <span className="medium">{visibleText(name)}</span>{' '}
      <EventLink id={citation.event_id} />
      {place !== undefined && place !== name && (
        <div className="t3">
          {isWebAddress(place) ? (
            <a href={place} target="_blank" rel="noreferrer noopener">
              {visibleText(place)}
            </a>
          ) : (
            visibleText(place)
          )}
        </div>
      )}
    </>
  )
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
