// The lanes above the calls: the steps of the plan, and what happened between the calls.
import { plural } from 'bridle/words'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import type { Mark } from '../../inspector/timeline/marks.ts'
import { STEP_WORDS, type StepStatus } from '../../inspector/timeline/plan-steps.ts'
import { useSelection } from '../../inspector/use-selection.ts'
import { markClusters } from '../model/chart-marks.ts'
import type { ChartStep } from '../model/chart-steps.ts'
import { percent, spanStyle, useChart } from './chart-context.tsx'

/** Marks that are nearer to each other than this part of the window are one, with their number. */
const MARK_ROOM = 0.036

const stepTones: { readonly [status in StepStatus]: string } = {
  open: '',
  running: ' w',
  done: ' d',
  stopped: '',
  failed: ' f',
}

/** An agent that tells no plan has no lane for it. */
export const PlanLane = ({ steps }: { readonly steps: readonly ChartStep[] }) => {
  const { placeOf, now } = useChart()
  if (steps.length === 0) return null
  return (
    <section className="times-lane" aria-label="Plan">
      <div className="lb">
        Plan<span className="t3">{plural(steps.length, 'step')}</span>
      </div>
      <ol className="trk">
        {steps.map(({ key, number, title, status, from, to }) => {
          const style = spanStyle(placeOf(from), placeOf(to ?? now))
          const words = `${number} ${visibleText(title)}`
          return (
            style && (
              <li
                key={key}
                className={`sg${stepTones[status]}`}
                style={style}
                title={`${words}, ${STEP_WORDS[status]}`}
              >
                {words}
                <span className="vh">, {STEP_WORDS[status]}</span>
              </li>
            )
          )
        })}
      </ol>
    </section>
  )
}

export const MarkLane = ({ marks }: { readonly marks: readonly Mark[] }) => {
  const { placeOf } = useChart()
  // The mark of a question that is open shows its call: the address has the mark.
  const { event, select } = useSelection()
  if (marks.length === 0) return null
  const clusters = markClusters(marks, placeOf, MARK_ROOM)
  return (
    <section className="times-lane" aria-label="Marks">
      <div className="lb">
        Marks<span className="t3">checkpoints, waits, context</span>
      </div>
      <div className="trk">
        {clusters.map(({ at, marks: [first, ...more] }) => {
          const all = [first, ...more]
          // A mark that needs attention stands for those around it.
          const shown = all.find(({ tone }) => tone === 'danger') ?? all.find(({ tone }) => tone === 'warn') ?? first
          const words = all.map(({ title, text }) => visibleText([title, text].filter(Boolean).join(': '))).join('\n')
          const isSelected = all.some(({ seq }) => seq === event)
          // The next click goes on to the next mark of the place.
          const next = all[(all.findIndex(({ seq }) => seq === event) + 1) % all.length] ?? first
          return (
            <button
              key={first.seq}
              type="button"
              className={`mk ${shown.tone}${isSelected ? ' sel' : ''}`}
              style={{ left: percent(at) }}
              title={words}
              aria-label={all.length > 1 ? `${all.length} marks: ${words}` : words}
              aria-pressed={isSelected}
              onClick={() => select({ call: null, event: String((isSelected ? next : shown).seq) })}
            >
              <Icon name={shown.icon} size={14} />
              {all.length > 1 && <sup className="num">{all.length}</sup>}
            </button>
          )
        })}
      </div>
    </section>
  )
}
