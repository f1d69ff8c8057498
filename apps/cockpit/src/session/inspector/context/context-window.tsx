// How full the context of the model is, what was warned about it, and how it was compacted.

import { compactionNumbers, costText, countText } from 'bridle/words'
import { MeterBar, usageTone } from '../../../ui/meter-bar.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { EventLink } from '../event-link.tsx'
import { Facts } from '../facts.tsx'

export const ContextWindow = () => {
  const { detail } = useSession()
  const { usage, context_warnings: warnings, compactions } = detail
  const percent = usage.context_usage_pct
  const isEmpty = percent === null && warnings.length + compactions.length + usage.total_tokens === 0
  if (isEmpty) return null
  return (
    <section className="sec" aria-label="Context window">
      <h2>
        Context window
        <span className="right t3 num">{percent === null ? 'unknown' : `${Math.round(percent)} %`}</span>
      </h2>
      {percent !== null && (
        <MeterBar
          label="Context window"
          part={percent / 100}
          tone={percent >= 90 ? 'over' : usageTone(percent / 100) || 'acc'}
          isThick
        />
      )}
      <Facts
        facts={[
          ['Tokens', `${countText(usage.input_tokens)} read, ${countText(usage.output_tokens)} written`],
          ['Cost', usage.cost_usd === null ? 'unknown' : costText(usage.cost_usd)],
          ['Reports', usage.model_calls === 0 ? null : String(usage.model_calls)],
        ]}
      />
      {warnings.toReversed().map((warning) => (
        <p key={warning.event_id} className="notice small">
          <span className="warn medium">Warning</span>{' '}
          <span>{visibleText(textOf(warning.message) ?? textOf(warning.kind) ?? percentText(warning.usage_pct))}</span>
          <EventLink id={warning.event_id} />
        </p>
      ))}
      {compactions.toReversed().map((compaction) => (
        <div key={compaction.event_id} className="notice small">
          <span className="medium">Compacted</span> <span>{compactionNumbers(compaction).join(', ')}</span>
          <EventLink id={compaction.event_id} />
          {typeof compaction.summary === 'string' && <p className="t2">{visibleText(compaction.summary)}</p>}
        </div>
      ))}
    </section>
  )
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const percentText = (value: unknown): string => (typeof value === 'number' ? `${Math.round(value)} % used` : '')
