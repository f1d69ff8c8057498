import type { HealthEnvelope, SessionRow } from '@bridle/client/index'
import { budgetLabel, budgetText } from '@bridle/words/index'
import { escapeControls } from './output.ts'
import { wrapWords } from './text-lines.ts'

type Health = HealthEnvelope['payload']

export const healthTexts = ({ score, flags, penalties, hint, budget_pressure, recovery_hint }: Health): string[] => [
  [String(score), ...(flags.length === 0 ? [] : [flags.join(', ')])].join(': '),
  ...penalties.map(
    ({ points, reason, evidence }) => `−${points} ${reason}${evidence.length === 0 ? '' : ` (${evidence.join(', ')})`}`,
  ),
  ...budget_pressure.budgets
    .filter(({ level }) => level !== 'ok')
    .map(({ budget, value, limit, level }) => `${budgetLabel(budget)}: ${budgetText(budget, value, limit)} (${level})`),
  ...[hint ?? recovery_hint?.label].filter((text) => text !== undefined),
]

/** A changed row, followed by its hint. Never truncated: a long id would hide what matters. */
export const healthChangeLines = ({ id, status, health }: SessionRow, columns: number): string[] => [
  escapeControls([id, status, healthWords(health)].join('  ')),
  ...(health?.hint ? wrapWords(escapeControls(health.hint), columns).map((line) => line.trimEnd()) : []),
]

export const healthWords = (health: SessionRow['health']): string =>
  health === null ? '-' : [health.score, ...health.flags].join(' ')
