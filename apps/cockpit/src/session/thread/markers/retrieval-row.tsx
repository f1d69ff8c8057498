// Texts that were put before the model: citations, and the context pack with the reason of each document.

import { countText, plural } from 'bridle/words'
import { useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import type { Marker } from '../thread-index.ts'
import { citationOf, contextPackOf } from './retrieval.ts'

/** The citations that a retrieval lists before a click. */
const CITATIONS_SHOWN = 6

export const RetrievalRow = ({ marker }: { readonly marker: Marker }) => {
  const [isOpen, setOpen] = useState(false)
  const payload = marker.payload as { readonly [name: string]: unknown }
  const citations = Array.isArray(payload.citations) ? payload.citations.map(citationOf) : []
  const pack = contextPackOf(payload.context_pack)
  const query = typeof payload.query === 'string' ? payload.query : ''
  return (
    <section className="retrieval" aria-label={`Citations of event ${marker.seq}`} data-event={marker.seq}>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
        <span className="lead">
          {plural(citations.length, 'citation')}
          {pack && `, ${plural(pack.documents.length, 'document')} in context`}
        </span>
        {citations.slice(0, CITATIONS_SHOWN).map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: citations are numbered by their place
          <span key={at} className="cite">
            {at + 1}
          </span>
        ))}
        <span className="trunc">{visibleText(query || (citations[0]?.title ?? ''))}</span>
      </button>
      {isOpen && (
        <div className="think-open">
          <ol className="col small">
            {citations.map(({ title, place }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: citations are numbered by their place
              <li key={at}>
                <span className="cite">{at + 1}</span> <span className="medium">{visibleText(title)}</span>
                {place !== '' && <div className="t3">{visibleText(place)}</div>}
              </li>
            ))}
          </ol>
          {pack && (
            <>
              <p className="small medium">Context pack, {countText(pack.tokens)} tokens</p>
              <ul className="col small">
                {pack.documents.map(({ id, why, tokens }) => (
                  <li key={id}>
                    <code>{visibleText(id)}</code>{' '}
                    <span className="t3">
                      {countText(tokens)} tokens · {visibleText(why)}
                    </span>
                  </li>
                ))}
                {pack.leftOut.map(({ id, why }) => (
                  <li key={`out ${id}`}>
                    <code>{visibleText(id)}</code> <span className="t3">left out · {visibleText(why)}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </section>
  )
}
