// The ten budgets in words: their names, their units, and what happens at their limits.
import type { HealthEnvelope } from 'bridle/client'
import { costText, countText } from 'bridle/words'
import type { MeterTone } from '../../ui/meter-bar.tsx'

export type Health = HealthEnvelope['payload']
export type Budget = Health['budget_pressure']['budgets'][number]
export type BudgetName = Budget['budget']

interface BudgetWords {
  readonly label: string
  /** The name of the limit in a sentence. */
  readonly limit: string
  /** The unit of the field in the editor, and how many units of the wire one of it is. */
  readonly unit: string
  readonly factor: number
  /** A value of the wire in words. */
  readonly text: (value: number) => string
}

const plain = (value: number): string => String(Math.round(value * 10) / 10)
const minutes = (value: number): string => (value < 1 ? `${Math.floor(value * 60)} s` : `${plain(value)} min`)
const percent = (value: number): string => `${plain(value)} %`
const seconds = (value: number): string => `${plain(value / 1_000)} s`

/** In the order of the page: what people set most comes first. */
export const budgetWords: { readonly [name in BudgetName]: BudgetWords } = {
  max_cost_usd: { label: 'Cost', limit: 'cost limit', unit: '$', factor: 1, text: costText },
  max_total_tokens: { label: 'Tokens', limit: 'token limit', unit: '', factor: 1, text: countText },
  max_runtime_minutes: { label: 'Run time', limit: 'run time limit', unit: 'min', factor: 1, text: minutes },
  max_context_usage_pct: { label: 'Context', limit: 'context limit', unit: '%', factor: 1, text: percent },
  max_failed_tool_calls: { label: 'Failed calls', limit: 'failed call limit', unit: '', factor: 1, text: plain },
  max_tool_latency_ms: { label: 'Slowest call', limit: 'call time limit', unit: 's', factor: 1_000, text: seconds },
  min_score: { label: 'Score at least', limit: 'score limit', unit: '', factor: 1, text: plain },
  max_loop_warnings: { label: 'Loop warnings', limit: 'loop warning limit', unit: '', factor: 1, text: plain },
  max_repeated_plan_events: { label: 'Repeated plans', limit: 'repeated plan limit', unit: '', factor: 1, text: plain },
  max_events_without_evidence: {
    label: 'Answers without a source',
    limit: 'unsourced answer limit',
    unit: '',
    factor: 1,
    text: plain,
  },
}

const wordsOf = (name: string): BudgetWords | undefined =>
  Object.hasOwn(budgetWords, name) ? budgetWords[name as BudgetName] : undefined

/** `cost limit`; a budget of a later server keeps its name. */
export const limitName = (name: string): string => wordsOf(name)?.limit ?? name.replaceAll('_', ' ')

/** `cost limit of 2.00 USD`: in a sentence a sum has its currency as a word. */
export const limitText = (name: string, limit: number): string => `${limitName(name)} of ${limitAmount(name, limit)}`

export const limitAmount = (name: string, value: number): string =>
  name === 'max_cost_usd' ? `${costText(value).slice(1)} USD` : (wordsOf(name)?.text ?? plain)(value)

export const BUDGET_NAMES = Object.keys(budgetWords) as readonly BudgetName[]

/** The run in progress counts too: its time is told when it is over, so the page counts it. */
export const currentValue = ({ budget, value }: Budget, runningSince: string | null, until: number): number =>
  budget === 'max_runtime_minutes' && runningSince !== null
    ? value + Math.max(0, until - Date.parse(runningSince)) / 60_000
    : value

/** `$1.71 of $2.00`; a cost that nobody told (`costUsd` null) is not 0. */
export const budgetText = ({ budget, limit }: Budget, value: number, costUsd: number | null): string => {
  const { text } = budgetWords[budget]
  if (budget === 'min_score') return `${text(value)}, at least ${text(limit)}`
  return `${budget === 'max_cost_usd' && costUsd === null ? 'not told' : text(value)} of ${text(limit)}`
}

/** The consequence of crossing the budget, now or later: `will pause at $2.00`. */
export const budgetNote = ({ budget, limit, level }: Budget, { enforcement, health }: Health['policy']): string => {
  const { text } = budgetWords[budget]
  const below = budget === 'min_score' ? 'below' : 'at'
  const raised = budget in enforcement.raised ? raisedText(budget, health?.[budget]) : ''
  if (level === 'crossed') return `${crossedTexts[enforcement.status]}${raised}`
  const does = enforcement.action === 'pause' ? 'will pause' : 'will ask you'
  return `${does} ${below} ${text(limit)}${raised}`
}

const raisedText = (budget: BudgetName, limit: number | undefined): string =>
  limit === undefined ? ', raised' : `, raised from ${budgetWords[budget].text(limit)}`

const crossedTexts: { readonly [status in Health['policy']['enforcement']['status']]: string } = {
  off: 'crossed',
  armed: 'crossed',
  awaiting_approval: 'crossed, asks you for more',
  paused: 'crossed, paused the session',
}

/** The sentence over all budgets. */
export const enforcementText = ({ enforcement }: Health['policy'], count: number): string => {
  if (count === 0 || enforcement.status === 'off') return 'no budget is set'
  if (enforcement.status === 'awaiting_approval') return 'crossed: waits for your answer'
  if (enforcement.status === 'paused') return 'crossed: the session is paused'
  return enforcement.action === 'pause' ? 'pauses when crossed' : 'asks you when crossed'
}

/** The server says how full a budget is: a page that counts by itself would cross it at another moment. */
export const levelTones: { readonly [level in Budget['level']]: MeterTone } = { ok: '', high: 'high', crossed: 'over' }
