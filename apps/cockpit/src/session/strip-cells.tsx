import type { ChatSession } from 'bridle/client'
import { costText, countText, durationText, elapsedText, plural, statusWords } from 'bridle/words'
import { AWAITING_ANSWER } from '../sessions/shown-status.ts'
import { MeterBar, type MeterTone, partOf, usageTone } from '../ui/meter-bar.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Status } from '../ui/status.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { useNow } from '../ui/use-now.ts'
import { isNearBudget, NEAR_BUDGET } from './health/finding-text.ts'
import { GOOD_SCORE, LOW_SCORE } from './health/score.tsx'
import { planCount, type StepStatus } from './inspector/timeline/plan-steps.ts'
import { useSelection } from './inspector/use-selection.ts'
import { useSession } from './session-context.tsx'
import { useHarnessValue } from './thread/thread-context.tsx'
import { turnBegan } from './turn-began.ts'

interface CellProps {
  readonly detail: ChatSession
}

interface LiveCellProps extends CellProps {
  readonly status: string
}

export const NowCell = ({ detail, status }: LiveCellProps) => {
  const { step } = detail
  const count = step && planCount(step)
  const error = useHarnessValue((state) => state.error)
  const isAsked = useHarnessValue(({ approvals = [] }) => approvals.every(({ kind }) => kind === 'question'))
  const failure = status === 'failed' ? (error ?? detail.lastError) : null
  const text = step?.title || failure || (detail.model ? `Model ${detail.model}` : detail.agent)
  return (
    <div className="cell wide now">
      <div className="k">
        <Status status={isAsked && status === 'awaiting_approval' ? AWAITING_ANSWER : status} />
        {count && (
          <>
            <span className="num">{count.text}</span>
            {count.marks.length > 0 && (
              <span className="steps" aria-hidden="true">
                {count.marks.map((mark, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a mark has its place alone
                  <i key={at} className={MARK_CLASSES[mark]} />
                ))}
              </span>
            )}
          </>
        )}
      </div>
      <div className="v">
        <span className="trunc" title={visibleText(text)}>
          {visibleText(text)}
        </span>
      </div>
    </div>
  )
}

const MARK_CLASSES: { readonly [status in StepStatus]?: string } = { done: 'd', running: 'n' }

export const CostCell = ({ detail }: CellProps) => {
  const { usage, health } = detail
  const budget = health.budget_pressure.budgets.find(({ budget: name }) => name === 'max_cost_usd')
  return (
    <div className="cell">
      <div className="k">Cost</div>
      <div className="v num">
        {usage.cost_usd === null ? <span className="t3">unknown</span> : costText(usage.cost_usd)}
        {budget ? (
          <span className="t3 trunc">of {costText(budget.limit)}</span>
        ) : (
          usage.total_tokens > 0 && <span className="t3 small trunc">{countText(usage.total_tokens)} tokens</span>
        )}
      </div>
      {budget && usage.cost_usd !== null && (
        <MeterBar
          label="Cost"
          part={partOf(budget.value, budget.limit)}
          tone={usageTone(partOf(budget.value, budget.limit))}
        />
      )}
    </div>
  )
}

export const HealthCell = ({ detail }: CellProps) => {
  const { score, reasons, penalties } = detail.health
  const { select } = useSelection()
  const isPhone = useIsPhone()
  // A phone has no room beside the conversation: the tab takes the page.
  const open = (): void => select(isPhone ? { tab: 'health', wide: '1' } : { tab: 'health' })
  return (
    <div className="cell" title={visibleText(reasons.join('\n'))}>
      <div className="k">Health</div>
      <div className="v num">
        {score}{' '}
        {penalties.length === 0 && !isNearBudget(detail.health) ? (
          <span className="t3 small trunc">no findings</span>
        ) : (
          <button type="button" className="link small trunc" onClick={open}>
            {penalties.length === 0 ? NEAR_BUDGET : plural(penalties.length, 'finding')}
          </button>
        )}
      </div>
      <MeterBar label="Health score" part={score / 100} tone={scoreTone(score)} />
    </div>
  )
}

const scoreTone = (score: number): MeterTone => (score <= LOW_SCORE ? 'over' : score < GOOD_SCORE ? 'high' : '')

export const TimeCell = ({ detail, status }: LiveCellProps) => {
  const began = useHarnessValue((state) => turnBegan(detail, state.messages))
  // A policy that is set later is no part of the run.
  const turnEnd = useSession().events.timeline.findLast(({ type }) => type === 'turn_end')?.timestamp
  const { attempt_count: attempt, max_retries: retries } = detail
  return (
    <div className="cell">
      <div className="k">Time</div>
      <div className="v num">
        {began === undefined ? (
          <span className="t3">not begun</span>
        ) : statusWords(status).isTimed ? (
          <Elapsed since={began} />
        ) : (
          durationText(Math.max(0, Date.parse(detail.ended_at ?? turnEnd ?? detail.updatedAt) - began))
        )}
      </div>
      {attempt > 0 && (
        <div className="tiny t3 nowrap">
          attempt {attempt}
          {retries > 0 && ` of ${retries + 1}`}
        </div>
      )}
    </div>
  )
}

const Elapsed = ({ since }: { readonly since: number }) => elapsedText(useNow() - since)
