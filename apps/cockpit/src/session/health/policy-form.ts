// The fields of the policy editor: text as a person types it, and the policy that the server gets.
import type { PolicyRequest } from 'bridle/client'
import { BUDGET_NAMES, type BudgetName, budgetWords } from 'bridle/words'
import type { Health } from './budget-values.ts'

export type PolicyFields = { readonly [name in BudgetName]: string } & { readonly action: 'request_approval' | 'pause' }

/** An empty field is a budget that guards nothing. */
export const fieldsOf = ({ health, enforcement }: Health['policy']): PolicyFields => ({
  ...(Object.fromEntries(
    BUDGET_NAMES.map((name) => {
      const limit = health?.[name]
      return [name, limit === undefined ? '' : String(limit / budgetWords[name].factor)]
    }),
  ) as { readonly [name in BudgetName]: string }),
  action: enforcement.action,
})

export const changesOf = (before: PolicyFields, after: PolicyFields): number =>
  [...BUDGET_NAMES, 'action' as const].filter((name) => before[name].trim() !== after[name].trim()).length

export type PolicyProblems = { readonly [name in BudgetName]?: string }

/** The request, or what cannot be read as a number. Whether a number makes sense is the server's to say. */
export const policyOf = (
  fields: PolicyFields,
): { readonly policy: PolicyRequest } | { readonly problems: PolicyProblems } => {
  const problems: { [name in BudgetName]?: string } = {}
  const limits: { [name in BudgetName]?: number } = {}
  for (const name of BUDGET_NAMES) {
    const text = fields[name].trim().replace(/^\$|[\s,_]|%$/g, '')
    if (text === '') continue
    const value = Number(text)
    if (Number.isFinite(value)) limits[name] = value * budgetWords[name].factor
    else problems[name] = 'Expected a number, or nothing'
  }
  if (Object.keys(problems).length > 0) return { problems }
  return { policy: Object.keys(limits).length === 0 ? {} : { health: { ...limits, action: fields.action } } }
}

/** The budget that the server refuses, by the path of its field. Null = it refuses something else. */
export const budgetOfField = (path: string | undefined): BudgetName | null =>
  BUDGET_NAMES.find((name) => path === `policy.health.${name}`) ?? null

/** The server's words without the path, which stands beside them as a label. */
export const withoutPath = (message: string, path: string | undefined): string => {
  const start = `body: ${path}: `
  return message.startsWith(start) ? message.slice(start.length) : message
}
