// Approval before execution: which directives need it, and asking for it.
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import type { DirectiveContext } from './handlers.ts'

/**
 * Asks the user whether a directive may be executed. Only `true` approves: a rejection, an error, or the end of the directive's
 * deadline do not.
 */
export type Approver = (directive: ActionDirective, context: DirectiveContext) => boolean | Promise<boolean>

/** The lowest risk tier that needs approval even where the directive does not ask for it. */
export type ApprovalThreshold = 'caution' | 'dangerous' | 'never'

export const needsApproval = (directive: ActionDirective, threshold: ApprovalThreshold): boolean => {
  if (directive.requires_user_approval === true) return true
  // A question and nothing at all have no effect on the device, however risky the call is that they are about.
  if (directive.action_type === 'request_approval' || directive.action_type === 'noop') return false
  return TIERS[directive.risk_tier ?? 'safe'] >= TIERS[threshold]
}

const TIERS: Readonly<Record<'safe' | ApprovalThreshold, number>> = { safe: 0, caution: 1, dangerous: 2, never: 3 }
