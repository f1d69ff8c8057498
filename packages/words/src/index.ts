export type { BudgetName } from '@bridle/events/schemas'
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
export {
  answerWords,
  byActor,
  CLAIMED,
  deciderText,
  isDefaultAnswer,
  questionSettlementText,
  settlementText,
} from './approvals.ts'
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
export { endingText, isPlace } from './endings.ts'
export { branchOrigin, compactionNumbers, type EventWords, eventText, eventWords } from './events.ts'
export { argumentText, capitalized, nameText } from './fields.ts'
export { adviceText, HEALTH_FLAGS, recoveryWords } from './health.ts'
export { answerText, answerValueText, questionText, questionTitle } from './questions.ts'
export { STATUS_NAMES, statusText, statusWords } from './statuses.ts'
