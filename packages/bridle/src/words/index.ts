// The entry `bridle/words`: a session in words, for every client that shows one to people.
export type { BudgetName } from '../kernel/schemas.ts'
export {
  ageText,
  agoText,
  bytesText,
  costText,
  countText,
  durationText,
  elapsedText,
  exactCostText,
  exactCountText,
  plural,
  roughTimeText,
} from './amounts.ts'
export { byActor, CLAIMED, deciderText } from './approvals.ts'
export {
  BUDGET_NAMES,
  budgetAmountText,
  budgetLabel,
  budgetLimitText,
  budgetNameText,
  budgetNote,
  budgetText,
  budgetWords,
  crossedText,
  enforcementText,
} from './budgets.ts'
export { branchOrigin, compactionNumbers, type EventWords, eventText, eventWords } from './events.ts'
export { argumentText } from './fields.ts'
export { STATUS_NAMES, statusText, statusWords } from './statuses.ts'
