// Policy: rules of an agent's author about the calls of its model. A rule allows a call, asks a person, or denies it.
import { EXPIRY_MS_MAX } from './session/limits.ts'

/** A rule about calls. All rules that match a call are weighed: one that denies wins over one that asks, and that over one that allows. */
export interface PolicyRule {
  /** The name of a tool, in which `*` stands for any characters. */
  readonly tool: string
  /** Matches calls whose argument `command` fits, in which `*` stands for any characters. */
  readonly command?: string
  /** Matches calls for whose arguments the function returns true. A function that throws, or is async, matches. */
  readonly when?: (input: Readonly<Record<string, unknown>>) => boolean
  /** The decision. */
  readonly do: 'allow' | 'ask' | 'deny'
  /** With `ask`: an approval holds for the rest of the session, for calls that the rule matches. */
  readonly once?: true
  /** The reason, for people and for the model. */
  readonly reason?: string
  /** With `ask`: how much is at stake, for the person who decides. */
  readonly risk?: 'low' | 'medium' | 'high'
  /** With `ask`: the people who are asked, as a word of yours that clients can filter by. */
  readonly audience?: string
  /** With `ask`: the time that the person has; afterwards the call is not made. */
  readonly expiresMs?: number
}

const DECISIONS: readonly unknown[] = ['allow', 'ask', 'deny'] satisfies PolicyRule['do'][]
const RISKS: readonly unknown[] = [undefined, 'low', 'medium', 'high']
const FIELDS = ['tool', 'command', 'when', 'do', 'once', 'reason', 'risk', 'audience', 'expiresMs']

/** The first thing that is wrong with a list of rules; null = nothing. */
export const policyProblem = (policy: unknown): string | null => {
  if (!Array.isArray(policy)) return 'it is not a list.'
  for (const [index, rule] of policy.entries()) {
    const problem = ruleProblem(rule)
    if (problem !== null) return `rule ${index + 1}: ${problem}`
  }
  return null
}

const ruleProblem = (rule: unknown): string | null => {
  if (typeof rule !== 'object' || rule === null) return 'it is no object.'
  const { tool, command, when, do: decision, once, reason, risk, audience, expiresMs } = rule as Record<string, unknown>
  const unknown = Object.keys(rule).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return `"${unknown}" is no field: there are ${FIELDS.join(', ')}.`
  if (typeof tool !== 'string' || tool === '') return 'tool is no name of a tool.'
  if (!DECISIONS.includes(decision)) return 'do is not allow, ask or deny.'
  for (const [field, value] of Object.entries({ command, reason, audience }))
    if (value !== undefined && typeof value !== 'string') return `${field} is not a text.`
  if (when !== undefined && typeof when !== 'function') return 'when is not a function of the input.'
  if (command !== undefined && when !== undefined) return 'it has both command and when: leave one of them out.'
  if (once !== undefined && once !== true) return 'once is true, or left out.'
  if (!RISKS.includes(risk)) return 'risk is not low, medium or high.'
  return expiresMs === undefined || (typeof expiresMs === 'number' && expiresMs >= 1 && expiresMs <= EXPIRY_MS_MAX)
    ? null
    : `expiresMs is not between 1 and ${EXPIRY_MS_MAX}.`
}
