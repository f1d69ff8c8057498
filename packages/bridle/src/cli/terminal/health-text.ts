// The health of a session in words.
import type { HealthEnvelope } from '../../client/index.ts'

type Health = HealthEnvelope['payload']

/** The score with its flags, then every finding that lowered it, then what can be done. */
export const healthTexts = ({ score, flags, penalties, hint, budget_pressure, recovery_hint }: Health): string[] => [
  [String(score), ...(flags.length === 0 ? [] : [flags.join(', ')])].join(': '),
  ...penalties.map(
    ({ points, reason, evidence }) => `−${points} ${reason}${evidence.length === 0 ? '' : ` (${evidence.join(', ')})`}`,
  ),
  ...budget_pressure.budgets
    .filter(({ level }) => level !== 'ok')
    .map(({ budget, value, limit, level }) => `${budget}: ${amount(value)} of ${amount(limit)} (${level})`),
  ...[hint ?? recovery_hint?.label].filter((text) => text !== undefined),
]

/** Sums of fractions end in noise such as 0.08199999999999999. */
const amount = (value: number): string => String(Number(value.toPrecision(6)))
