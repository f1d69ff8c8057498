// Below the calls: what the guardrail and the agent's own thinking say, and what the signs of the chart mean.

import { plural } from 'bridle/words'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { cognitionFacts, guardrailFacts } from '../model/cognition.ts'

export const ChartNotes = ({ hasFolds, hasWaits }: { readonly hasFolds: boolean; readonly hasWaits: boolean }) => (
  <>
    <GuardrailRow />
    <CognitionRow />
    <div className="times-legend row wrap small t3">
      {hasFolds && (
        <span className="row nowrap">
          <span className="times-fold" />a stretch without calls, folded
        </span>
      )}
      {hasWaits && (
        <span className="row nowrap">
          <span className="times-wait" />
          waiting for an approval
        </span>
      )}
      <span>Waves are the agent's own batches; an engine that tells none shows its calls in order.</span>
    </div>
  </>
)

/** Left out where the agent has no guardrail. */
const GuardrailRow = () => {
  const { events } = useSession()
  if (!events.guardrail) return null
  const { confidence, layers, trace } = guardrailFacts(events.guardrail)
  return (
    <section className="times-note row small" aria-label="Guardrail">
      <span className="row medium">
        <Icon name="shield" size={14} />
        Guardrail
      </span>
      {confidence !== null && (
        <span className="t2">
          confidence <b className="num medium">{confidence}</b>
        </span>
      )}
      {layers.length > 0 && <span className="t2">layers {visibleText(layers.join(', '))}</span>}
      {trace !== '' && <span className="t3 mono">{visibleText(trace)}</span>}
    </section>
  )
}

const CognitionRow = () => {
  const { events } = useSession()
  const { contextPct, compactions, retrievals, citations, attempts } = cognitionFacts(events)
  const words = [
    contextPct !== null && `context ${Math.round(contextPct)} % full`,
    compactions > 0 && plural(compactions, 'compaction'),
    retrievals > 0 && `${plural(retrievals, 'retrieval')} with ${plural(citations, 'citation')}`,
    attempts > 0 && plural(attempts, 'attempt that was replaced', 'attempts that were replaced'),
  ].filter((word) => word !== false)
  if (words.length === 0) return null
  return (
    <section className="times-note row small" aria-label="Cognition">
      <span className="row medium">
        <Icon name="brain" size={14} />
        Cognition
      </span>
      {words.map((word) => (
        <span key={word} className="t2">
          {word}
        </span>
      ))}
    </section>
  )
}
