// Policies in requests are stricter than the log's schema: a misspelt budget would guard nothing.

import { type BudgetName, budgetLimits } from '@bridle/events/schemas'
import * as v from 'valibot'
import { exactObject, optionalField } from '../http/requests/request-fields.ts'

const amount = v.pipe(v.number(), v.finite(), v.minValue(0))
const percent = v.pipe(amount, v.maxValue(100))
const positive = v.pipe(
  amount,
  v.check((value) => value > 0, 'Expected more than 0'),
)
const whole = v.pipe(amount, v.integer())

const limitSchemas: { readonly [kind in (typeof budgetLimits)[BudgetName]]: v.GenericSchema<number> } = {
  amount,
  percent,
  positive,
  whole,
}
const limits = Object.fromEntries(Object.entries(budgetLimits).map(([name, kind]) => [name, limitSchemas[kind]])) as {
  readonly [budget in BudgetName]: v.GenericSchema<number>
}

const health = exactObject({
  ...v.partial(v.object(limits)).entries,
  action: optionalField(
    '`request_approval` (the default) asks a person; `pause` pauses the session.',
    v.picklist(['request_approval', 'pause']),
  ),
})

export const policyRequestSchema = v.pipe(
  exactObject({ health: optionalField('The budgets by name; one that is absent guards nothing.', health) }),
  v.title('PolicyRequest'),
  v.description('The budgets of a session, and the action when one is crossed.'),
)
