// The budgets of a session as numbers; `bridle/words` has their texts.
import type { HealthEnvelope } from 'bridle/client'
import type { MeterTone } from '../../ui/meter-bar.tsx'

export type Health = HealthEnvelope['payload']
export type Budget = Health['budget_pressure']['budgets'][number]

/** The run in progress counts too: its time is reported when it is over, so the page counts it. */
export const currentValue = ({ budget, value }: Budget, runningSince: string | null, until: number): number =>
  budget === 'max_runtime_minutes' && runningSince !== null
    ? value + Math.max(0, until - Date.parse(runningSince)) / 60_000
    : value

/** The server says how full a budget is: a page with its own thresholds would cross it at another moment. */
export const levelTones: { readonly [level in Budget['level']]: MeterTone } = { ok: '', high: 'high', crossed: 'over' }
